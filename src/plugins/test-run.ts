/** Runs a plugin on sample events. Nothing is stored: storage and cache are in memory, and captured events are returned. */
import { requireLevel } from '../auth/access.ts'
import type { components } from '../contract/openapi.ts'
import { invalid } from '../errors.ts'
import { normalizeEvent } from '../events/normalize-event.ts'
import { eventsOf } from '../events/payload.ts'
import {
  type ChangingEvent,
  InvalidEvent,
  incomingEvent,
  parseIncoming,
  returnedEvents,
  storedEvent,
} from '../events/plugin-event.ts'
import type { Ids } from '../ids.ts'
import { isJsonObject } from '../json/object.ts'
import { storedJson } from '../json/stored.ts'
import type { Outbound } from '../outbound/guard.ts'
import type { Db } from '../sql/db.ts'
import { ADMIN } from '../store/members.ts'
import * as configs from '../store/plugin_configs.ts'
import { code as codeOf } from '../store/plugin_runtime.ts'
import { MAIN_FILE } from '../store/plugin-main-file.ts'
import * as plugins from '../store/plugins.ts'
import type { Vault } from '../store/vault.ts'
import { secretTexts } from './attachments.ts'
import { NO_VALUES, valuesOf } from './configs.ts'
import type { PluginHost } from './runtime/answers.ts'
import type { PluginApi } from './runtime/api.ts'
import { createPluginCache } from './runtime/cache.ts'
import { settingsOf } from './runtime/configurations.ts'
import { fetchForPlugin } from './runtime/fetch.ts'
import type { Locate } from './runtime/geoip.ts'
import type { EventMethod, Limits, LogLine, OnceFunction, Outcome } from './runtime/messages.ts'
import type { Configuration, Sandbox } from './runtime/sandbox.ts'
import { fieldsOf, resolveValues } from './settings.ts'
import type { SourceFiles } from './source-files.ts'

type Schemas = components['schemas']
type TestInput = Schemas['PluginTest']
export type SampleEvent = NonNullable<TestInput['events']>[number]

export interface TestService {
  db: Db
  ids: Ids
  now: () => string
  milliseconds: () => number
  vault: Vault
  outbound: Outbound
  inspector: Sandbox
  locate: Locate
  pluginApi: PluginApi
}

export interface TestProject {
  id: number
  organization_id: string
  name: string
  membership_level: number
}

const LIMITS: Limits = { cpu_ms: 1_000, call_ms: 10_000, request_ms: 15_000 }
const MAX_TEST_MS = 30_000
const MAX_OUTPUT_LENGTH = 1024 * 1024
const METHODS: readonly EventMethod[] = ['processEvent', 'onEvent', 'composeWebhook']
const SAMPLE: SampleEvent = {
  event: '$pageview',
  distinct_id: 'sample',
  properties: { $current_url: 'https://example.com/pricing', $browser: 'Firefox' },
}

/** Ids below zero: they are those of no stored configuration. */
let tests = 0

export async function testPlugin(
  service: TestService,
  project: TestProject,
  input: TestInput,
): Promise<Schemas['PluginTestResult']> {
  return runOnSamples(service, await prepareTest(service, project, input), input.events)
}

/** A plugin that a test runs. */
export interface TestedPlugin {
  files: SourceFiles
  /** Reads the settings after the code has loaded, because its errors come first. */
  configure: () => Configuration | Promise<Configuration>
  api: PluginHost['api']
}

export async function prepareTest(service: TestService, project: TestProject, input: TestInput): Promise<TestedPlugin> {
  const subject = await subjectOf(service, project, input)
  const { id: plugin_config_id = 0, api_access_user_id: user_id = null } = subject.stored ?? {}
  const access = { plugin_config_id, project_id: project.id, user_id }
  return {
    files: subject.files,
    configure: () => configurationOf(service, project, input, subject),
    api: (request, signal) => service.pluginApi.call(access, request, signal),
  }
}

/** The services of a run on sample events, which uses no database. */
export type SampleRunner = Pick<TestService, 'ids' | 'now' | 'milliseconds' | 'outbound' | 'inspector' | 'locate'>

/** A test that runs. */
interface TestRun extends SampleRunner {
  configuration: Configuration
  host: PluginHost
  result: Schemas['PluginTestResult']
  /** The end of its time. */
  until: number
}

/** The reason why a test calls no further functions. */
class TestEnded extends Error {}

const NOTHING_TO_CALL = `This plugin has no ${METHODS.join(', ')}, exportEvents, scheduled task or job.`

/** Without `tasks`, only functions that get events are called. */
export async function runOnSamples(
  service: SampleRunner,
  { files, configure, api }: TestedPlugin,
  events: readonly SampleEvent[] = [SAMPLE],
  { tasks }: { tasks: boolean } = { tasks: true },
): Promise<Schemas['PluginTestResult']> {
  const { inspector, milliseconds } = service
  const started = milliseconds()
  const { host, captured, jobs } = createTestHost(service, api)
  const result: Schemas['PluginTestResult'] = { error: null, results: [], logs: [], captured, jobs, milliseconds: 0 }
  const { capabilities, errors } = await inspector.inspect(files)
  const {
    methods = [],
    scheduled_tasks = [],
    jobs: own = [],
  } = tasks ? capabilities : { methods: capabilities.methods }
  const called = METHODS.filter((method) => methods.includes(method))
  const exports = methods.includes('exportEvents')
  const error = errors[MAIN_FILE]
  if (error !== undefined) return { ...result, error: error.detail, milliseconds: milliseconds() - started }
  if (!exports && called.length + scheduled_tasks.length + own.length === 0)
    return { ...result, error: NOTHING_TO_CALL, milliseconds: milliseconds() - started }

  const configuration = await configure()
  const run: TestRun = { ...service, configuration, host, result, until: started + MAX_TEST_MS }
  try {
    const stored: unknown[] = []
    for (const sample of events)
      for (const { row } of await callForEvent(run, called, sample)) stored.push(JSON.parse(storedEvent(row)))
    if (exports && stored.length)
      await callOnce(run, { kind: 'methods', name: 'exportEvents' }, { events: stored }, [stored])
    for (const name of scheduled_tasks) await callOnce(run, { kind: 'tasks', name }, {}, [])
    // The jobs that these jobs queue are listed only.
    for (const { type, payload } of tasks ? [...jobs] : [])
      await callOnce(run, { kind: 'jobs', name: type }, { payload }, [payload])
  } catch (error) {
    if (!(error instanceof TestEnded)) throw error
    result.error = error.message
  } finally {
    keepLines(result, (await inspector.unload(configuration, host)).lines)
    result.milliseconds = milliseconds() - started
  }
  return result
}

function keepLines(result: TestRun['result'], lines: readonly LogLine[]): void {
  result.logs.push(...lines.map(({ level, message }) => ({ type: level, message })))
}

function requireTime({ milliseconds, until }: TestRun): void {
  if (milliseconds() > until)
    throw new TestEnded(`The test took longer than ${MAX_TEST_MS / 1000} seconds. Send fewer events.`)
}

/** Calls the functions of a plugin for a sample. Returns the events that would be stored. */
async function callForEvent(
  run: TestRun,
  methods: readonly EventMethod[],
  sample: SampleEvent,
): Promise<ChangingEvent[]> {
  const { inspector, configuration, host, result, milliseconds } = run
  // A dropped event reaches no other function.
  let reached: ChangingEvent[] = [await sampleEvent(run, configuration.project_id, sample)]
  for (const method of methods) {
    const next: ChangingEvent[] = []
    for (const event of reached) {
      requireTime(run)
      const before = milliseconds()
      const isIncoming = method === 'processEvent'
      const text = isIncoming ? event.text : storedEvent(event.row)
      const { outcomes, lines, error } = await inspector.each(configuration, method, [text], LIMITS, host)
      keepLines(result, lines)
      if (error) throw new TestEnded(`${error.name}: ${error.message}`)
      const [outcome = null] = outcomes
      const call = {
        function: method,
        input: isIncoming ? parseIncoming(text) : JSON.parse(text),
        milliseconds: milliseconds() - before,
      }
      if (isIncoming) {
        const { events, error: failure } = processed(event, outcome)
        const outputs = failure === null && events.length ? events.map((one) => parseIncoming(one.text)) : [null]
        for (const output of outputs) result.results.push({ ...call, output, error: failure })
        next.push(...events)
      } else {
        result.results.push({ ...call, ...describeOutcome(outcome) })
        next.push(event)
      }
    }
    reached = next
  }
  return reached
}

/** Calls a function that is not called for each event. `input`: its arguments as the result shows them. */
async function callOnce(
  run: TestRun,
  work: OnceFunction,
  input: Record<string, unknown>,
  args: readonly unknown[],
): Promise<void> {
  requireTime(run)
  const { inspector, configuration, host, result, milliseconds } = run
  const before = milliseconds()
  const { lines, error } = await inspector.once(configuration, work, args, LIMITS, host)
  keepLines(result, lines)
  const failure = error ? `${error.name}: ${error.message}` : null
  if (error && error.stage !== 'call') throw new TestEnded(`${error.name}: ${error.message}`)
  result.results.push({
    function: work.name,
    input,
    output: null,
    error: failure,
    milliseconds: milliseconds() - before,
  })
}

/** The plugin that a test runs, and its stored configuration if there is one. */
interface TestSubject {
  plugin: plugins.PluginRow
  stored: configs.PluginConfigRow | undefined
  files: SourceFiles
}

async function subjectOf(
  { db }: TestService,
  project: TestProject,
  { plugin: plugin_id, plugin_config, source }: TestInput,
): Promise<TestSubject> {
  const stored = plugin_config === undefined ? undefined : await configs.get(db, project.id, plugin_config)
  if (plugin_config !== undefined && !stored)
    throw invalid('plugin_config', 'This configuration does not exist in the project. Check the id.', 'does_not_exist')
  const id = stored?.plugin_id ?? plugin_id
  if (id === undefined) throw invalid('plugin', 'Send "plugin" or "plugin_config".', 'required')
  const plugin = await plugins.get(db, project.organization_id, id)
  if (!plugin) throw invalid('plugin', 'This plugin does not exist or is not visible. Check the id.', 'does_not_exist')
  // The code of a test can send the secrets, and what it reads with `posthog.api`, anywhere.
  if (stored?.secrets || stored?.api_access_user_id) requireLevel(project.membership_level, ADMIN)
  const files = { ...(await codeOf(db, plugin.id)), ...(source !== undefined && { [MAIN_FILE]: source }) }
  if (files[MAIN_FILE] === undefined) throw invalid('plugin', 'This plugin has no index.ts. Send "source".')
  return { plugin, stored, files }
}

function configurationOf(
  { vault }: TestService,
  project: TestProject,
  { config }: TestInput,
  { plugin, stored, files }: TestSubject,
): Configuration {
  const before = stored ? valuesOf(vault, stored) : NO_VALUES
  const fields = fieldsOf(plugin)
  const { open, secrets } = config || !stored ? resolveValues(fields, config ?? {}, before) : before
  return {
    id: -++tests,
    project_id: project.id,
    version: '1',
    files,
    settings: settingsOf(
      fields,
      { ...open, ...secrets },
      {
        filters: stored?.filters ? storedJson(stored.filters) : null,
        project: { id: project.id, name: project.name, url: '' },
      },
    ),
    secrets: Object.entries(secrets).flatMap(([key, value]) => secretTexts(key, value)),
  }
}

/** A sample as ingestion would pass it to the first plugin. Throws for an event that ingestion refuses or does not store. */
async function sampleEvent(
  { ids, now, milliseconds }: SampleRunner,
  project_id: number,
  sample: SampleEvent,
): Promise<ChangingEvent> {
  // The row is derived from its properties, which changes them.
  const [sent] = await eventsOf([structuredClone(sample)])
  const arrival = { project_id, now: milliseconds() * 1000, sent_at: null, address: null, uuid: ids.uuid }
  const row = sent && normalizeEvent(sent, { ...arrival, keepsSent: true })
  if (!row) throw invalid('events', `Events named "${sample.event}" are not stored. Use another name.`)
  return { row, text: incomingEvent(row, { now: now(), site_url: '' }) }
}

/** The events after `processEvent`. After an error, the event is stored as it was. */
function processed(before: ChangingEvent, outcome: Outcome): { events: ChangingEvent[]; error: string | null } {
  if (outcome === null) return { events: [], error: null }
  if (typeof outcome === 'boolean') return { events: [before], error: null }
  try {
    if (typeof outcome === 'string') return { events: returnedEvents(before, outcome), error: null }
    return { events: [before], error: `${outcome.error.name}: ${outcome.error.message}` }
  } catch (error) {
    if (!(error instanceof InvalidEvent)) throw error
    return { events: [before], error: `${error.name}: ${error.message}` }
  }
}

/** The request that `composeWebhook` returned. */
function describeOutcome(outcome: Outcome): { output: Record<string, unknown> | null; error: string | null } {
  if (outcome === null || typeof outcome === 'boolean') return { output: null, error: null }
  if (typeof outcome !== 'string') return { output: null, error: `${outcome.error.name}: ${outcome.error.message}` }
  if (outcome.length > MAX_OUTPUT_LENGTH)
    return { output: null, error: `The result is longer than ${MAX_OUTPUT_LENGTH} characters.` }
  const output: unknown = JSON.parse(outcome)
  return { output: isJsonObject(output) ? output : null, error: null }
}

/** Answers a plugin without a database. */
function createTestHost({ outbound, milliseconds, locate }: SampleRunner, api: PluginHost['api']) {
  const storage = new Map<string, string>()
  const cache = createPluginCache(milliseconds)
  const captured: Schemas['PluginTestResult']['captured'] = []
  const jobs: Schemas['PluginTestResult']['jobs'] = []
  const host: PluginHost = {
    fetch: (request, body, signal) => fetchForPlugin(outbound, request, body, signal),
    storageGet: async (key) => storage.get(key) ?? null,
    storageSet: async (key, value) => {
      if (value === null) storage.delete(key)
      else storage.set(key, value)
    },
    cursorInit: async (key, start) => {
      if (!storage.has(key)) storage.set(key, String(start))
    },
    cursorIncrement: async (key, by) => {
      const after = Number(storage.get(key) ?? 0) + by
      storage.set(key, String(after))
      return after
    },
    cache: async (operation, key, args) => cache.run(0, operation, key, args),
    locate,
    api,
    job: async (type, payload, delay_ms) => void jobs.push({ type, payload, delay_ms }),
    capture: async (event, properties) => void captured.push({ event, properties }),
  }
  return { host, captured, jobs }
}
