/** Validates the values of a configuration against the `config_schema` of its plugin. */
import { isDeepStrictEqual } from 'node:util'
import { type AppError, invalid } from '../errors.ts'
import { storedJson } from '../json/stored.ts'
import { ADMIN, type Level } from '../store/members.ts'
import { describeInvalidFile, fileInfo, keepsContents, storedFile } from './attachments.ts'

/** Replaces a secret in responses. A request that sends it back keeps the stored secret. */
export const MASK = '********'

export type Values = Record<string, unknown>

export interface Field {
  key: string
  type: string
  required: boolean
  secret: boolean
  /** Whether the script of a site app contains the value. */
  site: boolean
  /** Whether `{event.event}` and the like in the value are replaced for each webhook. */
  templating: boolean
  default: unknown
  choices: unknown[]
  visible_if: Condition[]
  required_if: Condition[]
}

/** Another field and its expected value; without a value, any non-empty one. */
type Condition = [key: string, value?: unknown]

/** The fields of a stored schema. */
export const fieldsOf = ({ config_schema }: { config_schema: string }): Field[] =>
  settingFields(storedJson(config_schema))

/** Accepts a list of fields, which may also contain texts, and the older form of an object from key to field. */
export function settingFields(config_schema: unknown): Field[] {
  const entries: [unknown, unknown][] = Array.isArray(config_schema)
    ? config_schema.map((field) => [field?.key, field])
    : Object.entries(isObject(config_schema) ? config_schema : {})
  return entries.flatMap(([key, field]) => {
    if (typeof key !== 'string' || key === '' || !isObject(field)) return []
    return [
      {
        key,
        type: typeof field.type === 'string' ? field.type : 'string',
        required: field.required === true,
        secret: field.secret === true,
        site: field.site === true,
        templating: field.templating === true,
        default: field.default ?? undefined,
        choices: Array.isArray(field.choices) ? field.choices : [],
        visible_if: conditionsOf(field.visible_if),
        required_if: conditionsOf(field.required_if),
      },
    ]
  })
}

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null

const conditionsOf = (list: unknown): Condition[] =>
  Array.isArray(list) ? list.filter((condition) => Array.isArray(condition) && typeof condition[0] === 'string') : []

/** Values as stored. `secrets` are encrypted. */
export interface ConfigValues {
  open: Values
  secrets: Values
}

/**
 * Completes sent values with defaults and stored secrets. Throws for values that the fields do not allow, and for a caller
 * below administrator who changes a value but reuses a secret: any setting may decide where the plugin sends it.
 */
export function resolveValues(
  fields: readonly Field[],
  input: Values,
  stored: ConfigValues,
  level: Level = ADMIN,
): ConfigValues {
  for (const key of Object.keys(input))
    if (!fields.some((field) => field.key === key))
      throw invalid(attrOf(key), `"${key}" is not a setting of this plugin. Its config_schema lists all settings.`)

  const open = new Map<string, unknown>()
  const secrets = new Map<string, unknown>()
  let reusedSecret: string | undefined
  for (const field of fields) {
    const { key } = field
    const sent = own(input, key)
    const hidden = field.secret || Object.hasOwn(stored.secrets, key)
    const kept = own(stored.secrets, key) ?? own(stored.open, key)
    if (sent !== undefined && sent !== null && !(hidden && sent === MASK)) requireType(field, sent)
    const isRenamed = field.type === 'attachment' && keepsContents(sent)
    const reused = hidden && (sent === MASK || sent === null || isRenamed) ? kept : undefined
    const fresh = reused !== undefined || sent === null || (hidden && sent === MASK) ? undefined : sent
    const chosen = (isRenamed ? renamedFile(key, sent, kept) : undefined) ?? reused ?? fresh ?? field.default
    const value = field.type === 'attachment' ? (storedFile(key, chosen) ?? chosen) : chosen
    if (value === undefined) continue
    if (reused !== undefined) reusedSecret ??= key
    // An empty secret is stored openly.
    const encrypted = value !== '' && (field.secret || reused !== undefined)
    ;(encrypted ? secrets : open).set(key, value)
  }
  const values = { open: Object.fromEntries(open), secrets: Object.fromEntries(secrets) }
  requireComplete(fields, values)
  if (reusedSecret !== undefined && level < ADMIN && !isDeepStrictEqual(allOf(values), allOf(stored)))
    throw invalid(
      attrOf(reusedSecret),
      `Send "config.${reusedSecret}" again to change settings, or ask an administrator of the organization.`,
      'required',
    )
  return values
}

const allOf = ({ open, secrets }: ConfigValues): Values => ({ ...open, ...secrets })

/** A stored file under a new name. Throws without a stored file. */
function renamedFile(key: string, { file_name, content_type }: Values, stored: unknown): Values {
  const file = storedFile(key, stored)
  if (!file)
    throw invalid(attrOf(key), `Send the "contents" of "config.${key}" in base64: no file is stored.`, 'required')
  return { ...file, file_name, ...(content_type !== undefined && { content_type }) }
}

/** Throws for the first visible required setting that is missing. */
export function requireComplete(fields: readonly Field[], { open, secrets }: ConfigValues): void {
  const current = (key: string): unknown => own(secrets, key) ?? own(open, key) ?? ''
  const isMet = ([key, expected]: Condition): boolean =>
    expected == null ? Boolean(current(key)) : current(key) === expected
  for (const { key, required, required_if, visible_if } of fields) {
    if (!(required || required_if.some(isMet)) || !visible_if.every(isMet)) continue
    if (current(key) === '') throw invalid(attrOf(key), `Send "config.${key}": the plugin requires it.`, 'required')
  }
}

/** Masks stored secrets, and values whose field has become secret since. Files are without their contents. */
export function maskSecrets(fields: readonly Field[], open: Values, secretKeys: readonly string[]): Values {
  const secret = new Set(fields.filter((field) => field.secret).map(({ key }) => key))
  const files = new Set(fields.filter(({ type }) => type === 'attachment').map(({ key }) => key))
  const masked = Object.entries(open).map(([key, value]) => {
    if (secret.has(key) && value !== '') return [key, MASK]
    return [key, files.has(key) ? (fileInfo(key, value) ?? value) : value]
  })
  return Object.fromEntries([...masked, ...secretKeys.map((key) => [key, MASK])])
}

/** The settings that the pages of a project may see, without files. Secret values are never among the open ones. */
export function siteValues(fields: readonly Field[], open: Values): Values {
  const visible = fields.filter(({ site, secret, type }) => site && !secret && type !== 'attachment')
  const values = visible.map((field) => [field.key, own(open, field.key) ?? field.default])
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

/** Throws for a field that is both secret and visible in pages. */
export function requireHiddenSecrets(config_schema: unknown, toError: (detail: string) => AppError): void {
  const field = settingFields(config_schema).find(({ secret, site }) => secret && site)
  if (field)
    throw toError(
      `The field "${field.key}" has "secret" and "site", but "site" sends its value to every visitor. Remove one of the two.`,
    )
}

function requireType({ key, type, choices }: Field, value: unknown): void {
  const wrong = (expected: string) => invalid(attrOf(key), `"config.${key}" must be ${expected}.`)
  switch (type) {
    case 'choice':
      if (!choices.includes(value))
        throw invalid(
          attrOf(key),
          `"config.${key}" must be one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}.`,
          'invalid_choice',
        )
      break
    case 'json':
      if (typeof value === 'string' && value !== '' && !isJson(value)) throw wrong('JSON, or a text that contains JSON')
      break
    case 'string':
      if (typeof value !== 'string') throw wrong('a text')
      break
    case 'attachment': {
      const expected = describeInvalidFile(value)
      if (expected) throw wrong(expected)
      break
    }
    case 'boolean':
    case 'number':
      if (typeof value !== type) throw wrong(`a ${type}`)
  }
}

const attrOf = (key: string): string => `config__${key}`

const own = (values: Values, key: string): unknown => (Object.hasOwn(values, key) ? values[key] : undefined)

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
