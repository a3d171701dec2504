/**
 * The child process that runs the code of plugins. It has no environment and makes no connections: everything that plugins ask
 * for is a message to the server. It serves one request at a time. The server kills it when it hangs.
 */
import { Worker } from 'node:worker_threads'
import { MAIN_FILE } from '../../store/plugin-main-file.ts'
import { transpileBrowserFile } from '../browser-code.ts'
import { newReads } from './known-reads.ts'
import {
  OUTCOMES,
  type Outcome,
  type PluginError,
  removeOldest,
  type SandboxReply,
  type SandboxRequest,
  type SourceError,
} from './messages.ts'
import {
  codes,
  inCall,
  inStage,
  LOAD_LIMITS,
  leavesVmUsable,
  loaded,
  loadVm,
  pluginErrorOf,
  prepare,
  stageErrorOf,
  tearDown,
} from './sandbox-plugins.ts'
import {
  beginRun,
  callOnce,
  currentRun,
  endRun,
  finishAsks,
  parent,
  receiveAnswer,
  settle,
  waitUntil,
} from './sandbox-run.ts'
import { TranspileError, transpile } from './transpile.ts'
import { isOutOfMemory, type Vm } from './vm.ts'

const ALIVE_MS = 500
const PROGRESS_MS = 100
const IDLE_MS = 300_000

const PARENT_CHECK_MS = 1_000

/**
 * Ends the process with the server, also while the code of a plugin blocks the event loop. A killed server cannot end it, and
 * native loops of QuickJS are never interrupted.
 */
new Worker(
  `setInterval(() => { if (process.ppid !== ${process.ppid}) process.kill(process.pid, 'SIGKILL') }, ${PARENT_CHECK_MS})`,
  { eval: true, execArgv: [] },
).unref()

const outcomeOfNumber = (outcome: string | number): Outcome => {
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
    if (outcome !== OUTCOMES.later) report(outcomeOfNumber(outcome))
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
        if (succeeded) return report(outcomeOfNumber(outcome))
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
        if (!leavesVmUsable(error)) loaded.delete(id)
        const failure = { error: pluginErrorOf(error) }
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

/** Transpiles all files and loads the main one without settings. */
async function inspect(files: Record<string, string>): Promise<SandboxReply> {
  const current = beginRun(LOAD_LIMITS.request_ms)
  const errors = new Map<string, SourceError>()
  const transpiled = new Map<string, string>()
  let capabilities: Extract<SandboxReply, { kind: 'inspected' }>['capabilities'] = {}
  for (const [name, source] of Object.entries(files))
    try {
      if (name === MAIN_FILE) {
        const vm = await loadVm({ files, settings: '{"config":{},"attachments":[]}' }, current.until)
        capabilities = vm.capabilities
      } else if (!name.endsWith('.json')) {
        const script = transpileBrowserFile(name, source)
        if (script === undefined) transpile(name, source)
        else transpiled.set(name, script)
      }
    } catch (error) {
      errors.set(name, sourceErrorOf(error))
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
function sourceErrorOf(error: unknown): SourceError {
  if (error instanceof TranspileError) return { detail: error.message, position: error.position }
  const { name, message, stack } = pluginErrorOf(error)
  const frames = [...stack.matchAll(/\(([^():]{1,200}):(\d{1,9})/g)]
  const [, path, line] = frames.find(([, name]) => name !== 'library.js') ?? []
  const text =
    name === 'Error' || name.startsWith('Timeout') || name.startsWith('Memory') ? message : `${name}: ${message}`
  if (!line) return { detail: text }
  if (path !== MAIN_FILE) return { detail: `${path}: Line ${line}: ${text}` }
  return { detail: `Line ${line}: ${text}`, position: { line: Number(line), column: 1 } }
}

async function unload(id: number): Promise<SandboxReply> {
  const item = loaded.get(id)
  codes.delete(id)
  if (item) {
    const current = beginRun(LOAD_LIMITS.request_ms)
    await tearDown(current, item)
    endRun(current)
    loaded.delete(id)
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
  const run = currentRun()
  if (run) {
    run.output.flush()
    void parent.send({ kind: 'alive' })
  }
  for (const [id, { used_at }] of loaded) if (!run && performance.now() - used_at > IDLE_MS) loaded.delete(id)
}, ALIVE_MS)
void parent.send({ kind: 'ready' })
