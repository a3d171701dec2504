/** Which events a plugin gets, and the settings that `composeWebhook` gets with them. */
import { stringify } from './host.ts'
import { type Meta, meta } from './meta.ts'
import { deepFreeze, isObject } from './values.ts'

interface Condition {
  key: string
  operator?: string
  value?: unknown
}

interface Webhooks {
  /** The settings with placeholders. */
  templates: string[]
  filters: { events?: { id: string | null; properties?: Condition[] }[]; actions?: unknown[] } | null
  project: Record<string, unknown>
}

export interface PluginEvent {
  event: string
  timestamp: string | Date
  properties: Record<string, unknown>
  person?: Record<string, unknown>
  [name: string]: unknown
}

let webhooks: Webhooks = { templates: [], filters: null, project: {} }

export function setWebhooks(some: Webhooks): void {
  webhooks = some
}

function asText(value: unknown): string {
  if (value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'string' ? value : stringify(value)
}

const lookUp = (values: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce((value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), values)

/** Replaces `{event.event}`, `{event.properties.plan}`, `{project.id}` and the like. Other braces stay. */
function filled(template: unknown, values: object): unknown {
  if (typeof template === 'string')
    return template.replace(/\{((?:event|person|project)(?:\.[^{}\s.]+)*)\}/g, (_, path) =>
      asText(lookUp(values, path)),
    )
  if (Array.isArray(template)) return template.map((item) => filled(item, values))
  if (!isObject(template)) return template
  return Object.fromEntries(Object.entries(template).map(([key, item]) => [key, filled(item, values)]))
}

/** `meta` with the settings of one event. */
export function metaFor({ timestamp, properties, person = {}, ...event }: PluginEvent): Meta {
  const { templates, project } = webhooks
  if (templates.length === 0) return meta
  const values = { event: { ...event, name: event.event, timestamp, properties }, person, project }
  const config = { ...meta.config }
  for (const key of templates) if (Object.hasOwn(config, key)) config[key] = filled(config[key], values)
  return { ...meta, config: deepFreeze(config) }
}

/** Whether the value of a property matches one of several values. */
const OPERATORS: Record<string, (value: unknown, one: unknown) => boolean> = {
  exact: (value, one) => asText(one) === asText(value),
  icontains: (value, one) => asText(value).toLowerCase().includes(asText(one).toLowerCase()),
  regex: (value, one) => new RegExp(asText(one)).test(asText(value)),
  gt: (value, one) => Number(value) > Number(one),
  gte: (value, one) => Number(value) >= Number(one),
  lt: (value, one) => Number(value) < Number(one),
  lte: (value, one) => Number(value) <= Number(one),
}
const OPPOSITES: Record<string, string> = {
  is_not: 'exact',
  not_icontains: 'icontains',
  not_regex: 'regex',
  is_not_set: 'is_set',
}

function matchesProperty(properties: Record<string, unknown>, { key, operator = 'exact', value }: Condition): boolean {
  const opposite = OPPOSITES[operator]
  const name = opposite ?? operator
  const matches = (one: unknown): boolean | undefined => OPERATORS[name]?.(properties[key], one)
  const found = Object.hasOwn(properties, key) && (name === 'is_set' || [value].flat().some(matches))
  return opposite ? !found : found
}

/** Whether the plugin gets the event. Actions do not exist, so they match nothing. */
export function isWanted(offered: PluginEvent): boolean {
  const { events = [], actions = [] } = webhooks.filters ?? {}
  if (events.length + actions.length === 0) return true
  const { event, properties } = offered
  return events.some(
    ({ id, properties: conditions = [] }) =>
      (id === null || id === event) && conditions.every((condition) => matchesProperty(properties, condition)),
  )
}
