/** The settings of a plugin as its `config_schema` describes them. The server validates them in the same way. */
import type { Schemas } from '../api.ts'

/** Stands for a stored secret in responses. Sending it back keeps the secret. */
export const MASK = '********'

type Condition = [key: string, value?: unknown]

export interface Field {
  key: string
  name: string
  type: string
  hint: string
  /** Text above the field. */
  text: string
  required: boolean
  secret: boolean
  /** Only administrators set it. */
  staff_only: boolean
  default: unknown
  choices: unknown[]
  visible_if: Condition[]
  required_if: Condition[]
}

/** A text without a field. */
export interface Note {
  key: null
  text: string
}

export type Values = Record<string, unknown>

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null

const text = (value: unknown): string => (typeof value === 'string' ? plain(value) : '')

/** Markdown is shown as plain text: links keep their address, and markup is removed. */
const plain = (markdown: string): string =>
  markdown
    .slice(0, 4_000)
    .replace(/\[([^\]]*)\]\(([^)]*)\)/g, '$1 ($2)')
    .replace(/[*_`#]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}/g, '')
    .trim()

const conditionsOf = (list: unknown): Condition[] =>
  Array.isArray(list)
    ? list.filter((condition): condition is Condition => Array.isArray(condition) && typeof condition[0] === 'string')
    : []

/** Accepts a list of fields, which may also contain texts, and the older form of an object from key to field. */
export function fieldsOf(config_schema: Schemas['Plugin']['config_schema']): (Field | Note)[] {
  const entries: [unknown, unknown][] = Array.isArray(config_schema)
    ? config_schema.map((field) => [field.key, field])
    : Object.entries(config_schema)
  return entries.flatMap(([key, field]): (Field | Note)[] => {
    if (!isObject(field)) return []
    if (typeof key !== 'string' || key === '') {
      const note = text(field.markdown) || text(field.hint)
      return note ? [{ key: null, text: note }] : []
    }
    return [
      {
        key,
        name: text(field.name) || text(field.title) || key,
        type: typeof field.type === 'string' ? field.type : 'string',
        hint: text(field.hint),
        text: text(field.markdown),
        required: field.required === true,
        secret: field.secret === true,
        staff_only: field.staff_only === true,
        default: field.default ?? undefined,
        choices: Array.isArray(field.choices) ? field.choices : [],
        visible_if: conditionsOf(field.visible_if),
        required_if: conditionsOf(field.required_if),
      },
    ]
  })
}

/** A job that users can start. */
export interface Job {
  name: string
  fields: Field[]
}

export const jobsOf = ({ public_jobs }: Schemas['Plugin']): Job[] =>
  Object.entries(public_jobs ?? {}).map(([name, job]) => ({
    name,
    fields: fieldsOf(isObject(job) && isObject(job.payload) ? job.payload : {}).filter(isField),
  }))

export const isField = (entry: Field | Note): entry is Field => entry.key !== null

const holds =
  (values: Values) =>
  ([key, expected]: Condition): boolean => {
    const value = values[key] ?? ''
    return expected == null ? Boolean(value) : value === expected
  }

export const isVisible = ({ visible_if }: Field, values: Values): boolean => visible_if.every(holds(values))

export const isRequired = ({ required, required_if }: Field, values: Values): boolean =>
  required || required_if.some(holds(values))

/** Values as stored, completed by the defaults. */
export const withDefaults = (fields: readonly Field[], stored: Values): Values =>
  Object.fromEntries(fields.map(({ key, default: fallback }) => [key, stored[key] ?? fallback]))

/** The names of visible required settings without a value. A plugin cannot be enabled without them. */
export function missingSettings(schema: Schemas['Plugin']['config_schema'], stored: Values): string[] {
  const fields = fieldsOf(schema).filter(isField)
  const values = withDefaults(fields, stored)
  return fields
    .filter((field) => isVisible(field, values) && isRequired(field, values) && (values[field.key] ?? '') === '')
    .map(({ name }) => name)
}

/** The functions that get stored events. */
const SENDING = ['onEvent', 'composeWebhook', 'exportEvents']

export const sendsEvents = ({ capabilities: { methods } }: Schemas['Plugin']): boolean =>
  Array.isArray(methods) && methods.some((method) => SENDING.includes(method))

/** Whether the plugin can change or drop events before they are stored. */
export const changesEvents = ({ capabilities: { methods } }: Schemas['Plugin']): boolean =>
  Array.isArray(methods) && methods.includes('processEvent')
