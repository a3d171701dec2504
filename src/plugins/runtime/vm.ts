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
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core'
import { type Bounds, checkHostCall, checkTime, createBounds, type StopReason, setBounds } from './bounds.ts'
import type { Capabilities } from './capabilities.ts'
import { libraryText } from './library-text.ts'
import type { PluginError } from './messages.ts'
import { hostFunctions, newBytes, outcomeOf, type VmHost } from './vm-host.ts'

const PAGE_BYTES = 64 * 1024
const INITIAL_PAGES = 256
export const MAX_MEMORY_MIB = 64
/** The memory grows in large steps, so it may not reach its maximum. */
const FULL = 0.75
/** About 1,200 calls. The process has a stack of 3.9 MB for it; with less, V8 would run out of its own first. */
const STACK_BYTES = 256 * 1024
const SMALL_STACK_BYTES = 64 * 1024
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

/** A plugin that exceeded a bound, or whose QuickJS is broken. The VM must not be used again. */
export class VmStopped extends Error {
  constructor(readonly reason: StopReason) {
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
  stop(reason: StopReason): void
  /** Without memory, QuickJS cannot even reject a promise. */
  readonly isFull: boolean
  /** The CPU time and the end of the call that runs. Starts a new measurement. */
  limit(cpu_ms: number, until: number): void
  /** Starts a function of the library. It ends with `host.settle`. */
  start(entry: 'once' | 'flush', ...args: string[]): void
  /** Hands over the next events, one per line or two. */
  queue(events: string): void
  /** Calls a method with the next event. Returns text, or one of `OUTCOMES`. */
  offer(method: string): string | number
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

/**
 * The file as a function. Its first line stays the first line. The semicolon before the code takes the effect from "use strict",
 * which sucrase adds: plugins run in sloppy mode, as they do in the public system. A variable before its declaration throws.
 */
const fileFunction = (code: string): string => {
  const declared = DECLARED.map((name) => `try { declared.${name} = ${name} } catch {}`).join(';')
  return `(function (module, exports, require) {;${code}\n;const declared = {};${declared};return { exports, declared } })`
}

/** QuickJS with its own memory. */
interface Machine {
  memory: { readonly buffer: ArrayBuffer }
  runtime: QuickJSRuntime
  context: QuickJSContext
  bounds: Bounds
}

/** Emscripten encodes texts one character at a time, which takes several times as long. */
const withNativeEncoding = (variant: QuickJSSyncVariant, memory: Machine['memory']): QuickJSSyncVariant => ({
  ...variant,
  importModuleLoader: async () => {
    const loader = await variant.importModuleLoader()
    if (typeof loader !== 'function') throw new TypeError('newVariant returns a function.')
    return async (options) => {
      const module = await loader(options)
      module.lengthBytesUTF8 = (text) => Buffer.byteLength(text)
      module.stringToUTF8 = (text, pointer) => {
        const end = Buffer.from(memory.buffer).write(text, pointer)
        new Uint8Array(memory.buffer)[pointer + end] = 0
      }
      return module
    }
  },
})

async function createMachine(bounds: Bounds): Promise<Machine> {
  const memory = new WebAssembly.Memory({
    initial: INITIAL_PAGES,
    maximum: (MAX_MEMORY_MIB * 1024 * 1024) / PAGE_BYTES,
  })
  const quickjs = await newQuickJSWASMModuleFromVariant(
    withNativeEncoding(newVariant(variant, { wasmModule: await compileOnce(), wasmMemory: memory }), memory),
  )
  const runtime = quickjs.newRuntime()
  runtime.setMaxStackSize(
    process.execArgv.some((flag) => flag.startsWith('--stack-size')) ? STACK_BYTES : SMALL_STACK_BYTES,
  )
  runtime.setInterruptHandler(() => !checkTime(bounds))
  return { memory, runtime, context: runtime.newContext(), bounds }
}

/** Every exception of the host ends the VM: its C stack may be in any state. */
function guarded<Result>(bounds: Bounds, work: () => Result): Result {
  let result: Result
  try {
    result = work()
  } catch (error) {
    if (error instanceof PluginFailure) throw error
    throw new VmStopped(bounds.stopped ?? (error instanceof VmStopped ? error.reason : 'crash'))
  }
  if (bounds.stopped) throw new VmStopped(bounds.stopped)
  return result
}

/** The entry points of `library/main.ts`. */
type Library = Record<
  'answer' | 'configure' | 'describe' | 'flush' | 'load' | 'offer' | 'once' | 'queue',
  QuickJSHandle
>

type CallResult = ReturnType<QuickJSContext['callFunction']>

/** The value of a call. Throws `PluginFailure` and `VmStopped`. There is no `describe` before the library is loaded. */
function unwrap({ context, bounds }: Machine, result: CallResult, describe?: QuickJSHandle): QuickJSHandle {
  if (!result.error) return result.value
  if (bounds.stopped) throw new VmStopped(bounds.stopped)
  const error = errorOf(context, result.error, describe)
  if (isOutOfMemory(error)) throw new VmStopped('memory')
  throw new PluginFailure(error)
}

function errorOf(context: QuickJSContext, thrown: QuickJSHandle, describe?: QuickJSHandle): PluginError {
  const described = describe && context.callFunction(describe, context.undefined, thrown)
  if (described && !described.error) return JSON.parse(context.getString(described.value))
  // A syntax error of the file, or no memory to describe the error.
  const value: unknown = context.dump(thrown)
  const { name, message, stack } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const field = (content: unknown, fallback: string): string =>
    typeof content === 'string' ? content.slice(0, MAX_ERROR_LENGTH) : fallback
  return {
    name: field(name, 'InternalError'),
    message: field(message, value === null ? 'out of memory' : 'The code failed.'),
    stack: field(stack, ''),
    retry: false,
  }
}

function loadLibrary(machine: Machine, host: VmHost): Library {
  const { context, bounds } = machine
  const functions = context.newObject()
  for (const [name, work] of Object.entries(hostFunctions(context, host))) {
    // After the time is over, calls do nothing. An error would take much longer than the call.
    const checked = context.newFunction(name, (...handles) => (checkHostCall(bounds) ? work(...handles) : undefined))
    context.setProp(functions, name, checked)
  }
  const program = unwrap(machine, context.evalCode(LIBRARY, 'library.js'))
  const entries = unwrap(machine, context.callFunction(program, context.undefined, functions))
  const entry = (name: keyof Library): QuickJSHandle => context.getProp(entries, name)
  return {
    answer: entry('answer'),
    configure: entry('configure'),
    describe: entry('describe'),
    flush: entry('flush'),
    load: entry('load'),
    offer: entry('offer'),
    once: entry('once'),
    queue: entry('queue'),
  }
}

/** Calls an entry point and frees the arguments. */
function invoke(machine: Machine, library: Library, entry: keyof Library, ...args: QuickJSHandle[]): QuickJSHandle {
  const { context } = machine
  const result = unwrap(machine, context.callFunction(library[entry], context.undefined, ...args), library.describe)
  for (const handle of args) if (handle.alive) handle.dispose()
  return result
}

/** The first module is the main one. */
function loadPlugin(machine: Machine, library: Library, modules: readonly Module[], settings: string): Capabilities {
  const { context } = machine
  invoke(machine, library, 'configure', context.newString(settings))
  const functions = context.newObject()
  for (const { path, code } of modules)
    context.setProp(functions, path, unwrap(machine, context.evalCode(fileFunction(code), path), library.describe))
  const imports = JSON.stringify(modules.map(({ path, imports }) => [path, imports]))
  return JSON.parse(context.getString(invoke(machine, library, 'load', functions, context.newString(imports))))
}

/** Runs the jobs of promises until there are none, or the time is over. */
function runJobs({ runtime, context, bounds }: Machine, { describe }: Library): void {
  while (runtime.hasPendingJob()) {
    const done = runtime.executePendingJobs(JOBS_PER_ROUND)
    if (done.error && isOutOfMemory(errorOf(context, done.error, describe))) throw new VmStopped('memory')
    // Reading the clock takes longer than most jobs.
    if (bounds.stopped || (runtime.hasPendingJob() && !checkTime(bounds))) return
  }
}

/** A file of a plugin as JavaScript. */
interface Module {
  path: string
  code: string
  /** The paths of the modules that it imports. */
  imports: Record<string, string>
}

/** Loads the modules with the settings. Throws `PluginFailure` and `VmStopped`. */
export async function createVm(
  { modules, settings, cpu_ms, until }: { modules: readonly Module[]; settings: string; cpu_ms: number; until: number },
  host: VmHost,
): Promise<Vm> {
  const bounds = createBounds(cpu_ms, until)
  const machine = await createMachine(bounds)
  const { memory, context } = machine
  const library = guarded(bounds, () => loadLibrary(machine, host))
  const capabilities = guarded(bounds, () => loadPlugin(machine, library, modules, settings))
  const methodNames = new Map<string, QuickJSHandle>()

  /** Not `invoke`, because the name of the method stays for the next event. */
  function offer(method: string): string | number {
    const name = methodNames.get(method) ?? context.newString(method)
    methodNames.set(method, name)
    const result = unwrap(machine, context.callFunction(library.offer, context.undefined, name), library.describe)
    const outcome = outcomeOf(context, result)
    result.dispose()
    return outcome
  }

  return {
    capabilities,
    get isStopped() {
      return bounds.stopped !== undefined
    },
    get isFull() {
      return memory.buffer.byteLength > FULL * MAX_MEMORY_MIB * 1024 * 1024
    },
    stop: (reason) => {
      bounds.stopped ??= reason
    },
    limit: (milliseconds, end) => setBounds(bounds, milliseconds, end),
    start: (entry, ...args) =>
      guarded(bounds, () => {
        const texts = args.map((arg) => context.newString(arg))
        invoke(machine, library, entry, ...texts).dispose()
      }),
    queue: (events) => guarded(bounds, () => invoke(machine, library, 'queue', context.newString(events)).dispose()),
    offer: (method) => guarded(bounds, () => offer(method)),
    pump: () => guarded(bounds, () => runJobs(machine, library)),
    answer: (ask, succeeded, content, body) =>
      guarded(bounds, () => {
        const args = [context.newNumber(ask), succeeded ? context.true : context.false, context.newString(content)]
        if (body) args.push(newBytes(context, body))
        invoke(machine, library, 'answer', ...args).dispose()
      }),
  }
}

/** Without memory for an error, QuickJS throws null. */
export const isOutOfMemory = ({ name, message }: PluginError, isFull = false): boolean =>
  (name === 'InternalError' && message === 'out of memory') || (isFull && message === 'null')
