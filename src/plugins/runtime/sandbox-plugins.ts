/** The plugins that a sandbox process has loaded. */
import { MAIN_FILE } from '../../store/plugin-main-file.ts'
import { linkedFiles } from '../relative-imports.ts'
import type { ConfigurationCode, Limits, PluginError, StagedError } from './messages.ts'
import { callOnce, NeverSettles, type Run, vmHost } from './sandbox-run.ts'
import { TranspileError, transpile } from './transpile.ts'
import { createVm, MAX_MEMORY_MIB, PluginFailure, type Vm, VmStopped } from './vm.ts'

const MAX_LOADED = 20
export const LOAD_LIMITS: Limits = { cpu_ms: 1_000, call_ms: 10_000, request_ms: 10_000 }
const SETUP_LIMITS: Limits = { cpu_ms: 1_000, call_ms: 30_000, request_ms: 30_000 }

/** A loaded configuration. */
interface Loaded {
  vm: Vm
  version: string
  isSetUp: boolean
  used_at: number
}

export const codes = new Map<number, ConfigurationCode>()
export const loaded = new Map<number, Loaded>()

/** Transpiles and loads the main file and those that it imports. */
export async function loadVm(
  { files, settings }: Pick<ConfigurationCode, 'files' | 'settings'>,
  until: number,
): Promise<Vm> {
  const modules = linkedFiles(files, MAIN_FILE).map(({ path, text, imports }) => ({
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
    if (path === MAIN_FILE) throw error
    throw new TranspileError(`${path}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The loaded and set up configuration. Throws `StageError`. */
export async function prepare(current: Run, id: number): Promise<Loaded> {
  const code = codes.get(id)
  if (!code) throw new Error(`The configuration ${id} was not sent to this process.`)
  const before = loaded.get(id)
  if (before && before.version !== code.version) {
    await tearDown(current, before)
    loaded.delete(id)
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
export async function tearDown(current: Run, { vm, isSetUp }: Loaded): Promise<void> {
  if (!isSetUp || !vm.capabilities.methods.includes('teardownPlugin')) return
  await callOnce(current, vm, { kind: 'methods', name: 'teardownPlugin' }, '[]', LOAD_LIMITS).catch((error) => {
    current.output.log('ERROR', `teardownPlugin failed: ${pluginErrorOf(error).message}`)
  })
}

function makeSpace(): void {
  if (loaded.size < MAX_LOADED) return
  const [oldest] = [...loaded].sort(([, a], [, b]) => a.used_at - b.used_at)
  if (oldest) loaded.delete(oldest[0])
}

/** An error together with the stage in which it happened. */
export class StageError extends Error {
  constructor(readonly error: StagedError) {
    super(error.message)
  }
}

export async function inStage<Result>(
  stage: StagedError['stage'],
  id: number,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StageError) throw error
    loaded.delete(id)
    throw new StageError({ ...pluginErrorOf(error), stage })
  }
}

/** An error that the plugin threw leaves it loaded. */
export async function inCall<Result>(id: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw new StageError(callError(error, id))
  }
}

export const stageErrorOf = (error: unknown, id: number): StagedError =>
  error instanceof StageError ? error.error : callError(error, id)

/** The error of a call. Unloads the plugin unless its VM can be used again. */
function callError(error: unknown, id: number): StagedError {
  if (!leavesVmUsable(error)) loaded.delete(id)
  return { ...pluginErrorOf(error), stage: 'call' }
}

const NEVER_SETTLES: PluginError = {
  name: 'Error',
  message: 'The promise that the plugin returned never settles.',
  stack: '',
  retry: false,
}

const STOPPED: Record<NonNullable<PluginError['stopped']>, string> = {
  timeout: 'The call took too long and was stopped.',
  memory: `The plugin needs more than ${MAX_MEMORY_MIB} MiB of memory and was stopped.`,
  crash: 'The call crashed the sandbox and was stopped.',
}

export function pluginErrorOf(error: unknown): PluginError {
  if (error instanceof PluginFailure) return error.error
  if (error instanceof NeverSettles) return NEVER_SETTLES
  if (error instanceof TranspileError) return { name: 'SyntaxError', message: error.message, stack: '', retry: false }
  const stopped = error instanceof VmStopped ? error.reason : 'crash'
  const name = stopped === 'timeout' ? 'TimeoutError' : stopped === 'memory' ? 'MemoryError' : 'SandboxError'
  return { name, message: STOPPED[stopped], stack: '', retry: false, stopped }
}

/** Whether the plugin can stay loaded after the error. */
export const leavesVmUsable = (error: unknown): boolean =>
  error instanceof PluginFailure || error instanceof TranspileError
