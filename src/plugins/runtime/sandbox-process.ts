/**
 * The child process that runs the code of plugins. It has no environment and makes no connections: everything that plugins ask
 * for is a message to the server. It serves one request at a time. The server kills it when it hangs.
 */
import { Worker } from 'node:worker_threads'
import { connectToParent } from '../../background/parent.ts'
import { transpileBrowserFile } from '../browser-code.ts'
import { linkedFiles } from '../relative-imports.ts'
import { isRead, keepRead, knownRead, newReads, type Reads } from './known-reads.ts'
import {
  type ConfigurationCode,
  type Limits,
  type LoadError,
  type MetricChange,
  type OnceFunction,
  OUTCOMES,
  type Outcome,
  type PluginError,
  removeOldest,
  type SandboxReply,
  type SandboxRequest,
} from './messages.ts'
import { createOutput } from './output.ts'
import { TranspileError, transpile } from './transpile.ts'
import { createVm, isOutOfMemory, MAX_MEMORY_MIB, PluginFailure, type Vm, VmStopped } from './vm.ts'
import type { VmHost } from './vm-host.ts'

const ALIVE_MS = 500
const PROGRESS_MS = 100
const MAX_LOADED = 20
const IDLE_MS = 300_000
const LOAD_LIMITS: Limits = { cpu_ms: 1_000, call_ms: 10_000, request_ms: 10_000 }
const SETUP_LIMITS: Limits = { cpu_ms: 1_000, call_ms: 30_000, request_ms: 30_000 }
const MAX_WAITING_ASKS = 1_000
const MAX_TIMERS = 1_000

const PARENT_CHECK_MS = 1_000

/**
 * Ends the process with the server, also while the code of a plugin blocks the event loop. A killed server cannot end it, and
 * native loops of QuickJS are never interrupted.
 */
new Worker(
  `setInterval(() => { if (process.ppid !== ${process.ppid}) process.kill(process.pid, 'SIGKILL') }, ${PARENT_CHECK_MS})`,
  { eval: true, execArgv: [] },
).unref()

const parent = connectToParent<SandboxRequest, SandboxReply>()

const isMetricKind = (kind: string): kind is MetricChange['kind'] => ['sum', 'max', 'min'].includes(kind)

/** A loaded configuration. */
interface Loaded {
  vm: Vm
  version: string
  isSetUp: boolean
  used_at: number
}

const codes = new Map<number, ConfigurationCode>()
const loaded = new Map<number, Loaded>()

type Answer = Extract<SandboxRequest, { kind: 'answer' }>

/** The state of the request that runs. Only one runs at a time. */
interface Run {
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

function beginRun(request_ms: number): Run {
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

function endRun(current: Run): void {
  for (const timer of current.asks.values()) clearTimeout(timer)
  current.output.flush()
  run = undefined
}

const vmHost: VmHost = {
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

function receiveAnswer(answer: Answer): void {
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

const NEVER_SETTLES: PluginError = {
  name: 'Error',
  message: 'The promise that the plugin returned never settles.',
  stack: '',
  retry: false,
}

/**
 * Waits until the plugin is done. Throws `VmStopped`, and `NeverSettles` for a promise that nothing can settle any more: then the VM
 * must not be used again.
 */
async function waitUntil(
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
async function settle(
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

class NeverSettles extends Error {}

/** Calls that the plugin did not await run to their end too. */
async function finishAsks(current: Run, vm: Vm, cpu_ms: number, until: number): Promise<void> {
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

const MAIN = 'index.ts'

/** Transpiles and loads the main file and those that it imports. */
async function loadVm({ files, settings }: Pick<ConfigurationCode, 'files' | 'settings'>, until: number): Promise<Vm> {
  const modules = linkedFiles(files, MAIN).map(({ path, text, imports }) => ({
    path,
    code: codeOf(path, text),
    imports,
  }))
  const { cpu_ms, call_ms } = LOAD_LIMITS
  return createVm({ modules, settings, cpu_ms, until: Math.min(until, performance.now() + call_ms) }, vmHost)
}

function codeOf(path: string, text: string): string {
  try {
    return path.endsWith('.json') ? `module.exports = ${JSON.stringify(JSON.parse(text))}` : transpile(path, text)
  } catch (error) {
    if (path === MAIN) throw error
    throw new TranspileError(`${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function drop(id: number): void {
  loaded.delete(id)
}

/** The loaded and set up configuration. Throws `StageError`. */
async function prepare(current: Run, id: number): Promise<Loaded> {
  const code = codes.get(id)
  if (!code) throw new Error(`The configuration ${id} was not sent to this process.`)
  const before = loaded.get(id)
  if (before && before.version !== code.version) {
    await tearDown(current, id, before)
    drop(id)
  }
  let item = loaded.get(id)
  if (!item) {
    makeSpace()
    const vm = await inStage('load', id, () => loadVm(code, current.until))
    item = { vm, version: code.version, isSetUp: false, used_at: 0 }
    loaded.set(id, item)
  }
  item.used_at = performance.now()
  if (!item.isSetUp) {
    const { vm } = item
    if (vm.capabilities.methods.includes('setupPlugin'))
      await inStage('setup', id, () =>
        callOnce(current, vm, { kind: 'methods', name: 'setupPlugin' }, '[]', SETUP_LIMITS),
      )
    item.isSetUp = true
  }
  return item
}

/** Only the state of the plugin is lost when this fails. */
async function tearDown(current: Run, id: number, { vm, isSetUp }: Loaded): Promise<void> {
  if (!isSetUp || !vm.capabilities.methods.includes('teardownPlugin')) return
  await callOnce(current, vm, { kind: 'methods', name: 'teardownPlugin' }, '[]', LOAD_LIMITS).catch((error) => {
    current.output.log('ERROR', `teardownPlugin failed: ${errorOf(error, id).message}`)
  })
}

function makeSpace(): void {
  if (loaded.size < MAX_LOADED) return
  const [oldest] = [...loaded].sort(([, a], [, b]) => a.used_at - b.used_at)
  if (oldest) drop(oldest[0])
}

/** An error together with the stage in which it happened. */
class StageError extends Error {
  constructor(readonly error: LoadError) {
    super(error.message)
  }
}

async function inStage<Result>(stage: LoadError['stage'], id: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StageError) throw error
    drop(id)
    throw new StageError({ ...errorOf(error, id), stage })
  }
}

async function callOnce(
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

const STOPPED: Record<NonNullable<PluginError['stopped']>, string> = {
  timeout: 'The call took too long and was stopped.',
  memory: `The plugin needs more than ${MAX_MEMORY_MIB} MiB of memory and was stopped.`,
  crash: 'The call crashed the sandbox and was stopped.',
}

function errorOf(error: unknown, id: number): PluginError {
  if (error instanceof PluginFailure) return error.error
  if (error instanceof NeverSettles) {
    drop(id)
    return NEVER_SETTLES
  }
  if (error instanceof TranspileError) return { name: 'SyntaxError', message: error.message, stack: '', retry: false }
  const stopped = error instanceof VmStopped ? error.reason : 'crash'
  drop(id)
  const name = stopped === 'timeout' ? 'TimeoutError' : stopped === 'memory' ? 'MemoryError' : 'SandboxError'
  return { name, message: STOPPED[stopped], stack: '', retry: false, stopped }
}

const outcomeOf = (outcome: string | number): Outcome => {
  if (typeof outcome === 'string') return outcome
  return outcome === OUTCOMES.unchanged ? true : outcome === OUTCOMES.excluded ? false : null
}

/** The limits of one text with events for a VM. */
const QUEUED_EVENTS = 64
const QUEUED_CHARACTERS = 128 * 1024

/** The next events that the VM gets: at least one. */
function eventsFrom(events: readonly string[], start: number): string[] {
  const end = Math.min(events.length, start + QUEUED_EVENTS)
  const some: string[] = []
  let characters = 0
  for (let i = start; i < end; i++) {
    const event = events[i] ?? ''
    characters += event.length
    if (i > start && characters > QUEUED_CHARACTERS) break
    some.push(event)
  }
  return some
}

type EachRequest = Extract<SandboxRequest, { kind: 'each' }>

/** Calls a method for each event. After an event that exceeds a bound, the plugin is loaded again for the next one. */
async function each(request: EachRequest): Promise<SandboxReply> {
  const { id, method, events, limits, careful } = request
  const current = beginRun(limits.request_ms)
  if (method === 'processEvent') current.reads = newReads()
  let outcomes: Outcome[] = []
  /** Outcomes so far, with those that were sent. */
  let count = 0
  let sent_at = performance.now()
  let isStopped = false
  /** The index of the event that was offered last. */
  let offered = -1
  /** The VM has the events before this index. */
  let queued = 0

  const report = (outcome: Outcome): void => {
    outcomes.push(outcome)
    count++
    // The server repeats the event later, before the ones after it.
    if (method !== 'processEvent' && typeof outcome === 'object' && outcome?.error.retry) isStopped = true
  }
  /** Reports the outcome of the next event. Returns a promise only if the plugin waits, because most do not. */
  const offer = (vm: Vm, until: number): Promise<void> | undefined => {
    offered = count
    const index = count
    if (current.reads) current.reads.event = index
    vm.limit(limits.cpu_ms, until)
    if (index === queued) {
      const some = eventsFrom(events, index)
      queued += some.length
      vm.queue(some.join('\n'))
    }
    const outcome = vm.offer(method)
    vm.pump()
    if (outcome !== OUTCOMES.later) report(outcomeOf(outcome))
    return count === index ? waitUntil(current, vm, () => count > index, { until }) : undefined
  }
  const sendProgress = (): void => {
    current.output.flush()
    void parent.send({ kind: 'progress', outcomes })
    outcomes = []
    sent_at = performance.now()
  }
  try {
    while (count < events.length && !isStopped && performance.now() < current.until) {
      const { vm } = await prepare(current, id)
      queued = count
      current.put = (succeeded, outcome) => {
        if (vm.isStopped) return
        if (succeeded) return report(outcomeOf(outcome))
        const error: PluginError = JSON.parse(String(outcome))
        if (isOutOfMemory(error, vm.isFull)) vm.stop('memory')
        else report({ error })
      }
      try {
        for (; count < events.length && !isStopped; ) {
          const now = performance.now()
          if (now >= current.until) break
          if (careful || now - sent_at > PROGRESS_MS) sendProgress()
          const wait = offer(vm, Math.min(current.until, now + limits.call_ms))
          if (wait) await wait
        }
      } catch (error) {
        const failure = { error: errorOf(error, id) }
        // A bound may be exceeded just after the outcome was reported.
        if (count === offered) report(failure)
        continue
      }
      await inStage('flush', id, async () => {
        await finishAsks(current, vm, limits.cpu_ms, current.until)
        vm.limit(limits.cpu_ms, current.until)
        await settle(current, vm, () => vm.start('flush'), { until: current.until })
      })
    }
    return { kind: 'each_done', outcomes }
  } catch (error) {
    return { kind: 'each_done', outcomes, error: stageErrorOf(error, id) }
  } finally {
    endRun(current)
  }
}

const stageErrorOf = (error: unknown, id: number): LoadError =>
  error instanceof StageError ? error.error : { ...errorOf(error, id), stage: 'call' }

async function once(request: Extract<SandboxRequest, { kind: 'once' }>): Promise<SandboxReply> {
  const { id, limits, args, function: work } = request
  const current = beginRun(limits.request_ms)
  try {
    const { vm } = await prepare(current, id)
    const result = work && (await inCall(id, () => callOnce(current, vm, work, args, limits)))
    return { kind: 'once_done', result }
  } catch (error) {
    return { kind: 'once_done', result: null, error: stageErrorOf(error, id) }
  } finally {
    endRun(current)
  }
}

/** An error that the plugin threw leaves it loaded. */
async function inCall<Result>(id: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw new StageError({ ...errorOf(error, id), stage: 'call' })
  }
}

/** Transpiles all files and loads the main one without settings. */
async function inspect(files: Record<string, string>): Promise<SandboxReply> {
  const current = beginRun(LOAD_LIMITS.request_ms)
  const errors = new Map<string, string>()
  const transpiled = new Map<string, string>()
  let capabilities: Extract<SandboxReply, { kind: 'inspected' }>['capabilities'] = {}
  for (const [name, source] of Object.entries(files))
    try {
      if (name === MAIN) {
        const vm = await loadVm({ files, settings: '{"config":{},"attachments":[]}' }, current.until)
        capabilities = vm.capabilities
      } else if (!name.endsWith('.json')) {
        const script = transpileBrowserFile(name, source)
        if (script === undefined) transpile(name, source)
        else transpiled.set(name, script)
      }
    } catch (error) {
      errors.set(name, describeLoadError(errorOf(error, 0)))
    }
  endRun(current)
  return {
    kind: 'inspected',
    capabilities,
    errors: Object.fromEntries(errors),
    transpiled: Object.fromEntries(transpiled),
  }
}

/** With the line of the file, which QuickJS reports only in the stack. */
function describeLoadError({ name, message, stack }: PluginError): string {
  if (name === 'SyntaxError' && stack === '') return message
  const frames = [...stack.matchAll(/\(([^():]{1,200}):(\d{1,9})/g)]
  const [, path, line] = frames.find(([, name]) => name !== 'library.js') ?? []
  const text =
    name === 'Error' || name.startsWith('Timeout') || name.startsWith('Memory') ? message : `${name}: ${message}`
  if (!line) return text
  return path === MAIN ? `Line ${line}: ${text}` : `${path}: Line ${line}: ${text}`
}

async function unload(id: number): Promise<SandboxReply> {
  const item = loaded.get(id)
  codes.delete(id)
  if (item) {
    const current = beginRun(LOAD_LIMITS.request_ms)
    await tearDown(current, id, item)
    endRun(current)
    drop(id)
  }
  return { kind: 'once_done', result: null }
}

let last: Promise<void> = Promise.resolve()

async function serve(request: Exclude<SandboxRequest, { kind: 'answer' }>): Promise<void> {
  switch (request.kind) {
    case 'load':
      codes.set(request.configuration.id, request.configuration)
      removeOldest(codes)
      return
    case 'unload':
      return parent.send(await unload(request.id))
    case 'inspect':
      return parent.send(await inspect(request.files))
    case 'each':
      return parent.send(await each(request))
    case 'once':
      return parent.send(await once(request))
  }
}

parent.onMessage((request) => {
  if (request.kind === 'answer') receiveAnswer(request)
  else last = last.then(() => serve(request))
})
setInterval(() => {
  if (run) {
    run.output.flush()
    void parent.send({ kind: 'alive' })
  }
  for (const [id, { used_at }] of loaded) if (!run && performance.now() - used_at > IDLE_MS) drop(id)
}, ALIVE_MS)
void parent.send({ kind: 'ready' })
