/** Saved test events: what they expect of a plugin, and whether it does that. */
import { isDeepStrictEqual } from 'node:util'
import type { components } from '../contract/openapi.ts'
import { invalid, notFound } from '../errors.ts'
import { isJsonObject } from '../json/object.ts'
import type { Db } from '../sql/db.ts'
import type { UserActor } from '../store/activity_log.ts'
import * as activityLog from '../store/activity_log.ts'
import { isEmpty } from '../store/changes.ts'
import { fieldChanges } from '../store/field-changes.ts'
import type { Activity } from '../store/plugin_activity.ts'
import * as configs from '../store/plugin_configs.ts'
import type { TestEventRow } from '../store/plugin_test_events.ts'
import * as store from '../store/plugin_test_events.ts'
import type { Vault } from '../store/vault.ts'
import { secretTexts } from './attachments.ts'
import { valuesOf, withPlugin } from './configs.ts'
import { type Mask, maskOf } from './runtime/secrets-mask.ts'
import { differencesOf, type Expectation } from './test-differences.ts'
import { prepareTest, runOnSamples, type TestedPlugin, type TestProject, type TestService } from './test-run.ts'

type Schemas = components['schemas']
type Run = Schemas['PluginTestEventRun']

/** All test events of a configuration together. */
const MAX_RUN_MS = 60_000
const MAX_EXPECTED_LENGTH = 131_072

interface Place {
  organization_id: string
  config: configs.PluginConfigRow
}

export async function create(
  service: TestService,
  place: Place,
  { name, event, expected }: Schemas['PluginTestEventCreate'],
  actor: UserActor,
): Promise<TestEventRow> {
  const { ids, now, vault } = service
  const time = now()
  const row: TestEventRow = {
    id: ids.uuid(),
    plugin_config_id: place.config.id,
    name,
    event: JSON.stringify(event),
    expected: storedExpectation(vault, place.config, expected ?? null),
    created_at: time,
    updated_at: time,
  }
  return change(service, place, actor, 'test_event_created', async (tx) => {
    const { count } = await store.list(tx, place.config.id, { limit: 1, offset: 0 })
    if (count >= store.MAX_TEST_EVENTS)
      throw invalid(null, `A configuration has at most ${store.MAX_TEST_EVENTS} test events. Delete one first.`)
    await requireFree(tx, row)
    await store.create(tx, row)
    return row
  })
}

export async function update(
  service: TestService,
  place: Place,
  row: TestEventRow,
  { name = row.name, event, expected }: Schemas['PluginTestEventWrite'],
  actor: UserActor,
): Promise<TestEventRow> {
  const { now, vault } = service
  const changes = {
    ...(name !== row.name && { name }),
    ...(event && !isSame(row.event, event) && { event: JSON.stringify(event) }),
    ...(expected !== undefined &&
      !isSame(row.expected, expected) && { expected: storedExpectation(vault, place.config, expected) }),
  }
  if (isEmpty(changes)) return row
  return change(service, place, actor, 'test_event_updated', async (tx) => {
    if (!(await store.get(tx, place.config.id, row.id))) throw notFound()
    await requireFree(tx, { ...row, name })
    return store.update(tx, row.id, changes, now())
  })
}

const isSame = (stored: string | null, sent: unknown): boolean =>
  isDeepStrictEqual(stored === null ? null : JSON.parse(stored), sent)

export async function remove(service: TestService, place: Place, row: TestEventRow, actor: UserActor): Promise<void> {
  await change(service, place, actor, 'test_event_deleted', async (tx) => {
    await store.remove(tx, row.id)
    return row
  })
}

/** Locks the configuration, so that its test events change one after the other. */
async function change(
  { db, ids, now }: TestService,
  { organization_id, config }: Place,
  actor: UserActor,
  activity: Activity,
  work: (tx: Db) => Promise<TestEventRow>,
): Promise<TestEventRow> {
  return db.tx(async (tx) => {
    if (!(await configs.lock(tx, config.id))) throw notFound()
    const row = await work(tx)
    const { plugin } = await withPlugin(tx, config)
    await activityLog.record(tx, ids, now(), actor, {
      organization_id,
      project_id: config.project_id,
      area: 'plugin_configs',
      activity,
      item_id: config.id,
      item_name: config.name || plugin.name,
      changes: fieldChanges({}, { test_event: row.name }),
    })
    return row
  })
}

async function requireFree(tx: Db, row: Pick<TestEventRow, 'id' | 'plugin_config_id' | 'name'>): Promise<void> {
  if (await store.isTaken(tx, row))
    throw invalid('name', 'Another test event of the configuration has this name. Choose another one.', 'unique')
}

/** The output of a webhook can have secrets of the configuration. */
function storedExpectation(vault: Vault, config: configs.PluginConfigRow, expected: Expectation | null): string | null {
  if (expected === null) return null
  const { secrets } = valuesOf(vault, config)
  const mask = maskOf(Object.entries(secrets).flatMap(([key, value]) => secretTexts(key, value)))
  const text = JSON.stringify(maskedValue(expected, mask))
  if (text.length > MAX_EXPECTED_LENGTH)
    throw invalid('expected', `"expected" has ${text.length} characters as JSON. The limit is ${MAX_EXPECTED_LENGTH}.`)
  return text
}

function maskedValue(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return mask(value)
  if (Array.isArray(value)) return value.map((item) => maskedValue(item, mask))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [mask(key), maskedValue(child, mask)]))
}

/** Runs each test event alone and compares its result with the expected one. */
export async function run(
  service: TestService,
  project: TestProject,
  config: configs.PluginConfigRow,
  { source: replaced }: Schemas['PluginTestEventRunWrite'],
): Promise<Run> {
  const { db, milliseconds } = service
  const input = { plugin_config: config.id, ...(replaced !== undefined && { source: replaced }) }
  const plugin = await prepareTest(service, project, input)
  const { rows } = await store.list(db, config.id, { limit: store.MAX_TEST_EVENTS, offset: 0 })
  const until = milliseconds() + MAX_RUN_MS
  const results: Run['results'] = []
  for (const row of rows) {
    const { id, name } = row
    const rest =
      milliseconds() < until
        ? await runOne(service, row, plugin)
        : { error: `Not run: the test events took longer than ${MAX_RUN_MS / 1000} seconds.`, ...NOTHING }
    results.push({ id, name, passed: rest.error === null && rest.differences.length === 0, ...rest })
  }
  const passed = results.filter((result) => result.passed).length
  return { passed, failed: results.length - passed, results }
}

const NOTHING = { differences: [], actual: null, milliseconds: 0 }

async function runOne(
  service: TestService,
  row: TestEventRow,
  plugin: TestedPlugin,
): Promise<Omit<Run['results'][number], 'id' | 'name' | 'passed'>> {
  const event: Schemas['PluginSampleEvent'] = JSON.parse(row.event)
  const configuration = await plugin.configure()
  const tested = { ...plugin, configure: () => configuration }
  const result = await runOnSamples(service, tested, [event], { tasks: false })
  const { milliseconds } = result
  const mask = maskOf(configuration.secrets)
  const failed = result.results.find(({ error }) => error !== null)
  const error = result.error ?? (failed ? `${failed.function}: ${failed.error}` : null)
  if (error !== null) return { ...NOTHING, error: mask(error), milliseconds }
  const text = JSON.stringify(maskedValue(outputOf(result), mask))
  if (text.length > MAX_EXPECTED_LENGTH)
    return {
      ...NOTHING,
      error: `The output has ${text.length} characters. The limit is ${MAX_EXPECTED_LENGTH}.`,
      milliseconds,
    }
  const actual: Expectation = JSON.parse(text)
  const expected: Expectation | null = row.expected === null ? null : JSON.parse(row.expected)
  return { error, differences: expected ? differencesOf(expected, actual, event) : [], actual, milliseconds }
}

/** The outputs of the functions that the plugin has. A dropped event has none. */
function outputOf({ results }: Schemas['PluginTestResult']): Expectation {
  const of = (name: string): Record<string, unknown>[] =>
    results.flatMap(({ function: called, output }) => (called === name && output !== null ? [output] : []))
  const has = (name: string): boolean => results.some(({ function: called }) => called === name)
  return {
    ...(has('processEvent') && { events: of('processEvent') }),
    ...(has('composeWebhook') && { webhooks: of('composeWebhook') }),
  }
}
