/** Compares the output of a test with the expected one. */
import type { components } from '../contract/openapi.ts'
import { isJsonObject } from '../json/object.ts'
import type { SampleEvent } from './test-run.ts'

type Schemas = components['schemas']
export type Expectation = Schemas['PluginTestExpectation']
type Difference = Schemas['PluginTestDifference']

const MAX_DIFFERENCES = 100

/** Fields of events that differ from run to run or from project to project. */
const CHANGING = ['now', 'team_id', 'site_url', 'ip', 'sent_at']

/** The differences in the parts that the expectation has. */
export function differencesOf(expected: Expectation, actual: Expectation, event: SampleEvent): Difference[] {
  const found: Difference[] = []
  const ignored = [
    ...CHANGING,
    ...(event.uuid === undefined ? ['uuid'] : []),
    ...(event.timestamp === undefined ? ['timestamp'] : []),
  ]
  const comparable = (events: Expectation['events']): object[] | undefined =>
    events?.map((one) => Object.fromEntries(Object.entries(one).filter(([key]) => !ignored.includes(key))))
  if (expected.events) compare(found, 'events', comparable(expected.events), comparable(actual.events))
  if (expected.webhooks) compare(found, 'webhooks', expected.webhooks, actual.webhooks)
  return found
}

/** The order of keys does not matter. Undefined is missing. */
function compare(found: Difference[], path: string, expected: unknown, actual: unknown): void {
  if (expected === actual || found.length >= MAX_DIFFERENCES) return
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.max(expected.length, actual.length)
    for (let i = 0; i < length; i++) compare(found, `${path}[${i}]`, expected[i], actual[i])
  } else if (isJsonObject(expected) && isJsonObject(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)]))
      compare(found, pathOf(path, key), own(expected, key), own(actual, key))
  } else {
    const kind = expected === undefined ? 'unexpected' : actual === undefined ? 'missing' : 'different'
    found.push({ path, kind, expected: expected ?? null, actual: actual ?? null })
  }
}

const own = (value: object, key: string): unknown => (Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined)

const pathOf = (path: string, key: string): string =>
  /^[\w$]+$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`
