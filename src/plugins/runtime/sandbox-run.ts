/** The request that a sandbox process serves: the calls of the plugin to the server, and waiting for their answers. */
import { connectToParent } from '../../background/parent.ts'
import { isRead, keepRead, knownRead, type Reads } from './known-reads.ts'
import type { Limits, MetricChange, OnceFunction, PluginError, SandboxReply, SandboxRequest } from './messages.ts'
import { createOutput } from './output.ts'
import { isOutOfMemory, PluginFailure, type Vm, VmStopped } from './vm.ts'
import type { VmHost } from './vm-host.ts'

const MAX_WAITING_ASKS = 1_000
const MAX_TIMERS = 1_000

export const parent = connectToParent<SandboxRequest, SandboxReply>()

const isMetricKind = (kind: string): kind is MetricChange['kind'] => ['sum', 'max', 'min'].includes(kind)

type Answer = Extract<SandboxRequest, { kind: 'answer' }>

/** The state of the request that runs. Only one runs at a time. */
export interface Run {
  output: ReturnType<typeof createOutput>
  /** The end of the request. */
  until: number
  /** Calls to the server that are not answered, and timers. */
  asks: Map<number, NodeJS.Timeout | undefined>
  /** Resolves the wait for an answer. */
  wake: (() => void) | undefined
  answers: Answer[]
  settled: { succeeded: boolean; text: string } | undefined
  put: VmHost['put']
  /** Only in a run of `processEvent`. */
  reads?: Reads
}

let run: Run | undefined
let lastAsk = 0

export const currentRun = (): Run | undefined => run

export function beginRun(request_ms: number): Run {
  run = {
    output: createOutput((output) => void parent.send({ kind: 'output', ...output })),
    until: performance.now() + request_ms,
    asks: new Map(),
    wake: undefined,
    answers: [],
    settled: undefined,
    put: () => undefined,
  }
  return run
}

export function endRun(current: Run): void {
  for (const timer of current.asks.values()) clearTimeout(timer)
  current.output.flush()
  run = undefined
}

export const vmHost: VmHost = {
  log: (level, message) => run?.output.log(level, message),
  metric: (name, kind, value) => {
    if (isMetricKind(kind) && Number.isFinite(value)) run?.output.metric({ name: name.slice(0, 200), kind, value })
  },
  ask: (operation, args, body) => {
    const current = run
    if (!current) throw new Error('The call of the plugin has ended.')
    if (current.asks.size >= MAX_WAITING_ASKS)
      throw new RangeError(`At most ${MAX_WAITING_ASKS} calls can wait at the same time. Use await.`)
    const known = current.reads && knownRead(current.reads, operation, args)
    if (known !== undefined) return known
    const ask = ++lastAsk
    if (operation === 'sleep') {
      const timers = [...current.asks.values()].filter(Boolean).length
      if (timers >= MAX_TIMERS) throw new RangeError(`At most ${MAX_TIMERS} timers can run at the same time.`)
      const delay = Math.max(0, Number(JSON.parse(args)[0]) || 0)
      const answer = (): void => receiveAnswer({ kind: 'answer', ask, succeeded: true, text: 'null' })
      // A longer timer never fires within the request.
      current.asks.set(ask, setTimeout(answer, Math.min(delay, 2 ** 31 - 1)))
    } else {
      current.asks.set(ask, undefined)
      if (isRead(operation, args)) current.reads?.asked.set(ask, operation + args)
      void parent.send({ kind: 'ask', ask, operation, args, ...(body && { body }) })
    }
    return ask
  },
  cancel: (ask) => {
    clearTimeout(run?.asks.get(ask))
    run?.asks.delete(ask)
  },
  put: (succeeded, outcome) => run?.put(succeeded, outcome),
  settle: (succeeded, text) => {
    if (run) run.settled = { succeeded, text }
  },
}

export function receiveAnswer(answer: Answer): void {
  // An answer to a call of an earlier request.
  if (!run?.asks.delete(answer.ask)) return
  if (run.reads) keepRead(run.reads, answer)
  run.answers.push(answer)
  run.wake?.()
}

/** Resolves with the next answer, or when the time is over. */
async function waitForAnswer(current: Run, until: number): Promise<void> {
  if (current.answers.length > 0) return
  let timer: NodeJS.Timeout | undefined
  await new Promise<void>((resolve) => {
    current.wake = resolve
    timer = setTimeout(resolve, Math.max(0, until - performance.now()))
  })
  clearTimeout(timer)
  current.wake = undefined
}

function deliverAnswers(current: Run, vm: Vm): void {
  for (const { ask, succeeded, text, body } of current.answers.splice(0)) {
    vm.answer(ask, succeeded, text, body)
    vm.pump()
  }
}

/**
 * Waits until the plugin is done. Throws `VmStopped`, and `NeverSettles` for a promise that nothing can settle any more: then the VM
 * must not be used again.
 */
export async function waitUntil(
  current: Run,
  vm: Vm,
  isDone: () => boolean,
  { until, onAnswers }: { until: number; onAnswers?: () => void },
): Promise<void> {
  while (!isDone()) {
    if (current.asks.size + current.answers.length === 0) throw vm.isFull ? new VmStopped('memory') : new NeverSettles()
    await waitForAnswer(current, until)
    if (performance.now() >= until) throw new VmStopped('timeout')
    onAnswers?.()
    deliverAnswers(current, vm)
  }
}

/** Runs a function of the library to its end. Throws `PluginFailure` too. */
export async function settle(
  current: Run,
  vm: Vm,
  start: () => void,
  limits: { until: number; onAnswers?: () => void },
): Promise<string> {
  current.settled = undefined
  start()
  vm.pump()
  await waitUntil(current, vm, () => current.settled !== undefined, limits)
  const { succeeded, text } = current.settled ?? { succeeded: false, text: '{}' }
  if (succeeded) return text
  const error: PluginError = JSON.parse(text)
  if (isOutOfMemory(error, vm.isFull)) throw new VmStopped('memory')
  throw new PluginFailure(error)
}

export class NeverSettles extends Error {}

/** Calls that the plugin did not await run to their end too. */
export async function finishAsks(current: Run, vm: Vm, cpu_ms: number, until: number): Promise<void> {
  vm.limit(cpu_ms, until)
  while (current.asks.size + current.answers.length > 0) {
    await waitForAnswer(current, until)
    if (performance.now() >= until) {
      current.output.log('WARN', `${current.asks.size} calls or timers did not end in time and were abandoned.`)
      return
    }
    deliverAnswers(current, vm)
  }
}

export async function callOnce(
  current: Run,
  vm: Vm,
  { kind, name }: OnceFunction,
  args: string,
  { cpu_ms, call_ms }: Limits,
): Promise<string> {
  const until = Math.min(current.until, performance.now() + call_ms)
  vm.limit(cpu_ms, until)
  const result = await settle(current, vm, () => vm.start('once', kind, name, args), {
    until,
    // The CPU time counts from one wait to the next.
    onAnswers: () => vm.limit(cpu_ms, until),
  })
  await finishAsks(current, vm, cpu_ms, until)
  return result
}
