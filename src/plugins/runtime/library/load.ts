/** Finds the functions, jobs and metrics of a plugin. */
import type { Capabilities } from '../capabilities.ts'
import { addMetric, meta } from './meta.ts'
import { requireModule } from './modules.ts'
import { plugin } from './plugin.ts'
import { isFunction, isObject } from './values.ts'

const METHODS = [
  'setupPlugin',
  'teardownPlugin',
  'exportEvents',
  'onEvent',
  'processEvent',
  'composeWebhook',
  'getSettings',
]

/** A file as a function. `declared` has the functions of a file without exports. */
type PluginFile = (
  module: { exports: unknown },
  exports: unknown,
  require: (name: unknown) => unknown,
) => { exports?: unknown; declared?: Record<string, unknown> } | undefined

/** The main file first. */
type Imports = [path: string, imports: Record<string, string>][]

interface Module {
  exports: unknown
  /** The value of the variable `exports`. */
  assigned: unknown
  declared: Record<string, unknown>
}

/** Runs a file and the files that it imports, each once. */
function run(path: string, files: Record<string, PluginFile>, imports: Map<string, Record<string, string>>): Module {
  const modules = new Map<string, Module>()
  const runOnce = (name: string): Module => {
    // In a circle of imports, a file gets the unfinished exports of another.
    const known = modules.get(name)
    if (known) return known
    const initial = {}
    const module: Module = { exports: initial, assigned: initial, declared: {} }
    modules.set(name, module)
    const { exports = initial, declared = {} } = files[name]?.(module, initial, requireFrom(name)) ?? {}
    return Object.assign(module, { declared, assigned: exports })
  }
  const requireFrom = (from: string) => (name: unknown) => {
    const text = String(name)
    if (!/^\.{1,2}\//.test(text)) return requireModule(text)
    const found = imports.get(from)?.[text]
    if (found === undefined)
      throw new Error(`Cannot import "${text}": the plugin has no such file. Add it, or bundle it into ${from}.`)
    const { exports, assigned } = runOnce(found)
    return isObject(exports) && Object.keys(exports).length === 0 ? assigned : exports
  }
  return runOnce(path)
}

/** The places where the main file may have put its exports. */
function exportsOf(files: Record<string, PluginFile>, imports: Imports): Record<string, unknown>[] {
  const { exports, assigned, declared } = run(imports[0]?.[0] ?? '', files, new Map(imports))
  const places = [assigned, isObject(assigned) ? assigned.default : undefined, exports].filter(isObject)
  const isEmpty = places.every((place) => Object.keys(place).length === 0)
  return isEmpty ? [declared] : places
}

/** Runs the main file. */
export function load(files: Record<string, PluginFile>, imports: Imports): Capabilities {
  const sources = exportsOf(files, imports)
  const lookUp = (name: string): unknown => sources.find((source) => source[name] !== undefined)?.[name]

  for (const name of METHODS) {
    const method = lookUp(name)
    if (isFunction(method)) plugin.methods[name] = method
  }
  const inBatches = lookUp('processEventBatch')
  if (!plugin.methods.processEvent && isFunction(inBatches))
    plugin.methods.processEvent = async (event) => ((await inBatches([event], meta)) as unknown[] | undefined)?.[0]

  for (const name of new Set(sources.flatMap((source) => Object.keys(source)))) {
    const task = name.startsWith('runEvery') && lookUp(name)
    if (isFunction(task)) plugin.tasks[name] = task
  }
  const jobs = lookUp('jobs')
  if (isObject(jobs)) for (const [name, job] of Object.entries(jobs)) if (isFunction(job)) plugin.jobs[name] = job
  const metrics = lookUp('metrics')
  if (isObject(metrics)) for (const [name, kind] of Object.entries(metrics)) addMetric(name, kind)

  return {
    methods: METHODS.filter((name) => plugin.methods[name]),
    jobs: Object.keys(plugin.jobs),
    scheduled_tasks: Object.keys(plugin.tasks),
  }
}
