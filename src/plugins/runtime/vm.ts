/**
 * One plugin in its own QuickJS: a WebAssembly instance with its own memory. Only the maximum of that memory bounds it, because
 * `setMemoryLimit` of QuickJS does not (measured: 2.1 GB with a limit of 32 MiB).
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import quickjsVariant from '@jitl/quickjs-wasmfile-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
} from 'quickjs-emscripten-core'
import type { Capabilities } from './capabilities.ts'
import { BYTE_FUNCTIONS, decode, encode, SYNC_FUNCTIONS } from './host-functions.ts'
import { libraryText } from './library-text.ts'
import type { PluginError } from './messages.ts'

const PAGE_BYTES = 64 * 1024
const INITIAL_PAGES = 256
export const MAX_MEMORY_MIB = 64
/** The memory grows in large steps, so it may not reach its maximum. */
const FULL = 0.75
/** About 1,200 calls. The process has a stack of 3.9 MB for it; with less, V8 would run out of its own first. */
const STACK_BYTES = 256 * 1024
const SMALL_STACK_BYTES = 64 * 1024
/** Host calls between two checks of the clock. */
const CALLS_PER_CHECK = 100
/** Jobs between two checks of the clock. */
const JOBS_PER_ROUND = 500
const MAX_ERROR_LENGTH = 5_000

/** The type declarations of Node have only the types. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<WebAssembly.Module>
  Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer }
}

/** The package declares the types of its CommonJS file. */
const variant = 'default' in quickjsVariant ? quickjsVariant.default : quickjsVariant

const LIBRARY = libraryText()

/** The bundle is next to a copy of the package's file, because the process may read nothing else. */
const isBundled = !/\/vm\.[jt]s$/.test(import.meta.url)
const wasmOfPackage = (): string => createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm')

let compiled: Promise<WebAssembly.Module> | undefined

const compileOnce = (): Promise<WebAssembly.Module> => {
  compiled ??= readFile(isBundled ? new URL('./quickjs.wasm', import.meta.url) : wasmOfPackage()).then((bytes) =>
    WebAssembly.compile(bytes),
  )
  return compiled
}

/** The functions that a plugin calls, directly or through the library. */
export interface VmHost {
  log(level: string, message: string): void
  metric(name: string, kind: string, value: number): void
  /** Starts a call to the server. Returns its id, which is later given to `answer`. */
  ask(operation: string, args: string, body?: Uint8Array): number
  /** Cancels a call that nobody waits for any more. */
  cancel(ask: number): void
  /** The result of the event that was offered: JSON, or null; the JSON of an error without `succeeded`. */
  put(succeeded: boolean, text: string | null): void
  /** The end of `once` or `flush`. */
  settle(succeeded: boolean, text: string): void
}

/** A plugin that exceeded a bound, or whose QuickJS is broken. The VM must not be used again. */
export class VmStopped extends Error {
  constructor(readonly reason: NonNullable<PluginError['stopped']>) {
    super(reason)
  }
}

/** An error that the plugin threw. */
export class PluginFailure extends Error {
  constructor(readonly error: PluginError) {
    super(error.message)
  }
}

export interface Vm {
  readonly capabilities: Capabilities
  /** Whether a bound was exceeded. An async function can catch the interruption, but nothing runs for long after it. */
  readonly isStopped: boolean
  stop(reason: VmStopped['reason']): void
  /** Without memory, QuickJS cannot even reject a promise. */
  readonly isFull: boolean
  /** The CPU time and the end of the call that runs. Starts a new measurement. */
  limit(cpu_ms: number, until: number): void
  /** Starts a function of the library. It ends with `host.settle`. */
  start(entry: 'once' | 'flush', ...args: string[]): void
  /** Calls a method with an event, both as JSON. Undefined when the outcome is passed to `host.put`, now or later. */
  offer(method: string, event: string): string | null | undefined
  /** Runs what the promises of the plugin wait for. Throws `VmStopped`. */
  pump(): void
  answer(ask: number, succeeded: boolean, text: string, body?: Uint8Array): void
}

/** The names that count as exports when the file exports nothing. */
const DECLARED = [
  'setupPlugin',
  'teardownPlugin',
  'exportEvents',
  'onEvent',
  'processEvent',
  'processEventBatch',
  'composeWebhook',
  'getSettings',
  'runEveryMinute',
  'runEveryHour',
  'runEveryDay',
  'jobs',
  'metrics',
]

/** The file as a function. Its first line stays the first line. A variable before its declaration throws. */
const fileFunction = (code: string): string => {
  const declared = DECLARED.map((name) => `try { declared.${name} = ${name} } catch {}`).join(';')
  return `(function (module, exports, require) {${code}\n;const declared = {};${declared};return { exports, declared } })`
}

/** `code`: JavaScript. Loads it with the settings. Throws `PluginFailure` and `VmStopped`. */
export async function createVm(
  { code, settings, cpu_ms, until }: { code: string; settings: string; cpu_ms: number; until: number },
  host: VmHost,
): Promise<Vm> {
  const wasmMemory = new WebAssembly.Memory({
    initial: INITIAL_PAGES,
    maximum: (MAX_MEMORY_MIB * 1024 * 1024) / PAGE_BYTES,
  })
  const quickjs = await newQuickJSWASMModuleFromVariant(
    newVariant(variant, { wasmModule: await compileOnce(), wasmMemory }),
  )
  const runtime = quickjs.newRuntime()
  runtime.setMaxStackSize(
    process.execArgv.some((flag) => flag.startsWith('--stack-size')) ? STACK_BYTES : SMALL_STACK_BYTES,
  )
  const context = runtime.newContext()
  let stopped: VmStopped['reason'] | undefined
  let cpu_limit_us = 0
  let wall_until = 0
  /** Undefined until the first check after `limit`: reading the CPU time of each event would take longer than most calls. */
  let cpu_start_us: number | undefined

  const cpuTime = (): number => {
    const { user, system } = process.cpuUsage()
    return user + system
  }
  const limit: Vm['limit'] = (milliseconds, end) => {
    cpu_limit_us = milliseconds * 1000
    wall_until = end
    cpu_start_us = undefined
  }
  const isOver = (): boolean => {
    cpu_start_us ??= cpuTime()
    return performance.now() > wall_until || cpuTime() - cpu_start_us > cpu_limit_us
  }
  runtime.setInterruptHandler(() => {
    if (isOver()) stopped ??= 'timeout'
    return stopped !== undefined
  })

  /** Every exception of the host ends the VM: its C stack may be in any state. */
  function guarded<Result>(work: () => Result): Result {
    let result: Result
    try {
      result = work()
    } catch (error) {
      if (error instanceof PluginFailure) throw error
      throw new VmStopped(stopped ?? (error instanceof VmStopped ? error.reason : 'crash'))
    }
    if (stopped) throw new VmStopped(stopped)
    return result
  }

  let describe: QuickJSHandle | undefined

  function unwrap(result: ReturnType<QuickJSContext['callFunction']>): QuickJSHandle {
    if (!result.error) return result.value
    if (stopped) throw new VmStopped(stopped)
    const error = errorOf(result.error)
    if (isOutOfMemory(error)) throw new VmStopped('memory')
    throw new PluginFailure(error)
  }

  function errorOf(thrown: QuickJSHandle): PluginError {
    const described = describe && context.callFunction(describe, context.undefined, thrown)
    if (described && !described.error) return JSON.parse(context.getString(described.value))
    // A syntax error of the file, or no memory to describe the error.
    const value: unknown = context.dump(thrown)
    const { name, message, stack } = (typeof value === 'object' && value !== null ? value : {}) as Record<
      string,
      unknown
    >
    const field = (content: unknown, fallback: string): string =>
      typeof content === 'string' ? content.slice(0, MAX_ERROR_LENGTH) : fallback
    return {
      name: field(name, 'InternalError'),
      message: field(message, value === null ? 'out of memory' : 'The code failed.'),
      stack: field(stack, ''),
      retry: false,
    }
  }

  const text = (handle: QuickJSHandle | undefined): string => (handle ? context.getString(handle) : '')
  const isUndefined = (handle: QuickJSHandle | undefined): boolean =>
    handle === undefined || context.typeof(handle) === 'undefined'
  const bytes = (handle: QuickJSHandle): Uint8Array =>
    context.getArrayBuffer(handle).consume(({ value }) => Uint8Array.from(value))
  const newBytes = (content: Uint8Array): QuickJSHandle => context.newArrayBuffer(Uint8Array.from(content).buffer)

  const syncFunctions: typeof SYNC_FUNCTIONS = {
    ...SYNC_FUNCTIONS,
    log: (level, message) => host.log(String(level), String(message)),
    metric: (name, kind, value) => host.metric(String(name), String(kind), Number(value)),
    cancel: (ask) => host.cancel(Number(ask)),
  }

  /** QuickJS checks the time every 10,000 steps. Calls of the host take much longer than a step. */
  let calls = 0
  const checkTime = (): boolean => {
    if (++calls % CALLS_PER_CHECK === 0 && isOver()) stopped ??= 'timeout'
    return stopped === undefined
  }

  const hostFunctions: Record<string, (...handles: QuickJSHandle[]) => QuickJSHandle | undefined> = {
    sync: (operation, args) => {
      try {
        const work = syncFunctions[text(operation)]
        if (!work) throw new TypeError('Unknown function.')
        const value = work(...JSON.parse(text(args)))
        return context.newString(JSON.stringify({ value: value ?? null }))
      } catch (error) {
        const { name, message } = error instanceof Error ? error : new Error('The call failed.')
        return context.newString(JSON.stringify({ error: [name, message] }))
      }
    },
    bytes: (operation, data, name, key) => {
      if (!data) return undefined
      switch (text(operation)) {
        case 'encode':
          return newBytes(encode(JSON.parse(text(data)), text(name)))
        case 'decode':
          return context.newString(JSON.stringify(decode(bytes(data), text(name))))
      }
      const work = BYTE_FUNCTIONS[text(operation)]
      if (!work) throw new TypeError('Unknown function.')
      return newBytes(work(bytes(data), text(name), key === undefined || isUndefined(key) ? undefined : bytes(key)))
    },
    ask: (operation, args, body) =>
      context.newNumber(
        host.ask(text(operation), text(args), body === undefined || isUndefined(body) ? undefined : bytes(body)),
      ),
    put: (succeeded, result) =>
      void host.put(context.dump(succeeded ?? context.false) === true, isNullish(result) ? null : text(result)),
    settle: (succeeded, result) => void host.settle(context.dump(succeeded ?? context.false) === true, text(result)),
  }
  const isNullish = (handle: QuickJSHandle | undefined): boolean =>
    handle === undefined || context.typeof(handle) !== 'string'

  limit(cpu_ms, until)
  const library = guarded(() => {
    const functions = context.newObject()
    for (const [name, work] of Object.entries(hostFunctions)) {
      // After the time is over, calls do nothing. An error would take much longer than the call.
      const checked = context.newFunction(name, (...handles) => (checkTime() ? work(...handles) : undefined))
      context.setProp(functions, name, checked)
    }
    return unwrap(context.callFunction(unwrap(context.evalCode(LIBRARY, 'library.js')), context.undefined, functions))
  })
  const entries = {
    answer: context.getProp(library, 'answer'),
    offer: context.getProp(library, 'offer'),
    once: context.getProp(library, 'once'),
    flush: context.getProp(library, 'flush'),
  }
  describe = context.getProp(library, 'describe')

  function invoke(entry: QuickJSHandle, ...args: QuickJSHandle[]): QuickJSHandle {
    const result = unwrap(context.callFunction(entry, context.undefined, ...args))
    for (const handle of args) if (handle.alive) handle.dispose()
    return result
  }

  const capabilities = guarded((): Capabilities => {
    invoke(context.getProp(library, 'configure'), context.newString(settings))
    const file = unwrap(context.evalCode(fileFunction(code), 'index.ts'))
    return JSON.parse(context.getString(invoke(context.getProp(library, 'load'), file)))
  })

  const methodNames = new Map<string, QuickJSHandle>()

  return {
    capabilities,
    get isStopped() {
      return stopped !== undefined
    },
    get isFull() {
      return wasmMemory.buffer.byteLength > FULL * MAX_MEMORY_MIB * 1024 * 1024
    },
    stop: (reason) => {
      stopped ??= reason
    },
    limit,
    start: (entry, ...args) =>
      guarded(() => void invoke(entries[entry], ...args.map((arg) => context.newString(arg))).dispose()),
    offer: (method, event) =>
      guarded(() => {
        let name = methodNames.get(method)
        if (!name) {
          name = context.newString(method)
          methodNames.set(method, name)
        }
        const text = context.newString(event)
        const result = unwrap(context.callFunction(entries.offer, context.undefined, name, text))
        text.dispose()
        const type = context.typeof(result)
        const outcome = type === 'number' ? undefined : type === 'string' ? context.getString(result) : null
        result.dispose()
        return outcome
      }),
    pump: () =>
      guarded(() => {
        while (runtime.hasPendingJob()) {
          const done = runtime.executePendingJobs(JOBS_PER_ROUND)
          if (done.error) {
            const error = errorOf(done.error)
            if (isOutOfMemory(error)) throw new VmStopped('memory')
          }
          if (isOver()) stopped ??= 'timeout'
          if (stopped) return
        }
      }),
    answer: (ask, succeeded, content, body) =>
      guarded(() => {
        const args = [context.newNumber(ask), succeeded ? context.true : context.false, context.newString(content)]
        if (body) args.push(newBytes(body))
        invoke(entries.answer, ...args).dispose()
      }),
  }
}

/** Without memory for an error, QuickJS throws null. */
export const isOutOfMemory = ({ name, message }: PluginError, isFull = false): boolean =>
  (name === 'InternalError' && message === 'out of memory') || (isFull && message === 'null')
