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

/** The file as a function. `declared` has the functions of a file without exports. */
type PluginFile = (
  module: { exports: unknown },
  exports: unknown,
  require: typeof requireModule,
) => { exports?: unknown; declared?: Record<string, unknown> } | undefined

/** The places where the file may have put its exports. */
function exportsOf(file: PluginFile): Record<string, unknown>[] {
  const module: { exports: unknown } = { exports: {} }
  const initial = module.exports
  const { exports = initial, declared = {} } = file(module, initial, requireModule) ?? {}
  const places = [exports, isObject(exports) ? exports.default : undefined, module.exports].filter(isObject)
  const isEmpty = places.every((place) => Object.keys(place).length === 0)
  return isEmpty ? [declared] : places
}

/** Runs the file. */
export function load(file: PluginFile): Capabilities {
  const sources = exportsOf(file)
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
