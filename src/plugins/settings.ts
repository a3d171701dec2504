/** A configuration's values against the `config_schema` of its plugin. */
import { invalid } from '../errors.ts'

/** What is shown instead of a secret, and what keeps it when it comes back. */
export const MASK = '********'

type Values = Record<string, unknown>

interface Field {
  key: string
  type: string
  required: boolean
  secret: boolean
  default: unknown
  choices: unknown[]
  visible_if: Condition[]
  required_if: Condition[]
}

/** Another field, and the value it must have; without one, any that is not empty. */
type Condition = [key: string, value?: unknown]

/** Those with a key: the list also holds texts between fields. The older form is an object, with the keys outside. */
export function settingFields(config_schema: unknown): Field[] {
  const entries: [unknown, unknown][] = Array.isArray(config_schema)
    ? config_schema.map((field) => [field?.key, field])
    : Object.entries((config_schema ?? {}) as object)
  return entries.flatMap(([key, given]) => {
    if (typeof key !== 'string' || key === '' || typeof given !== 'object' || given === null) return []
    const field = given as Values
    return [
      {
        key,
        type: typeof field.type === 'string' ? field.type : 'string',
        required: field.required === true,
        secret: field.secret === true,
        default: field.default ?? undefined,
        choices: Array.isArray(field.choices) ? field.choices : [],
        visible_if: conditionsOf(field.visible_if),
        required_if: conditionsOf(field.required_if),
      },
    ]
  })
}

const conditionsOf = (given: unknown): Condition[] =>
  Array.isArray(given) ? given.filter((condition) => Array.isArray(condition) && typeof condition[0] === 'string') : []

/** Values as they are stored: those that may be shown, and those that are sealed. */
export interface ConfigValues {
  open: Values
  secrets: Values
}

/** All settings from those that were sent. Throws for what the fields do not allow. */
export function resolveValues(fields: readonly Field[], given: Values, stored: ConfigValues): ConfigValues {
  for (const key of Object.keys(given))
    if (!fields.some((field) => field.key === key))
      throw invalid(attrOf(key), `"${key}" is not a setting of this plugin. Its config_schema lists those it has.`)

  const open = new Map<string, unknown>()
  const secrets = new Map<string, unknown>()
  const keptSecrets: string[] = []
  for (const field of fields) {
    const { key } = field
    const sent = own(given, key)
    const hidden = field.secret || Object.hasOwn(stored.secrets, key)
    const kept =
      hidden && (sent === MASK || sent === null) ? (own(stored.secrets, key) ?? own(stored.open, key)) : undefined
    const fresh = kept !== undefined || sent === null || (hidden && sent === MASK) ? undefined : sent
    if (fresh !== undefined) demandFit(field, fresh)
    const value = kept ?? fresh ?? field.default
    if (value === undefined) continue
    if (kept !== undefined) keptSecrets.push(key)
    // An empty secret is none, and everybody may see that.
    const sealed = value !== '' && (field.secret || kept !== undefined)
    ;(sealed ? secrets : open).set(key, value)
  }
  const settled = { open: Object.fromEntries(open), secrets: Object.fromEntries(secrets) }
  requireComplete(fields, settled)
  if (keptSecrets.length) demandSecretsAgain(fields, keptSecrets[0]!, stored, settled)
  return settled
}

/**
 * Throws `required` when an address changes and a stored secret is kept. Otherwise a caller who may change settings, but
 * never saw the secret, could have the plugin send it to a server of their own. Only the plugin's code knows what a
 * setting means, so a setting counts as an address by its key or value.
 */
function demandSecretsAgain(fields: readonly Field[], secret: string, stored: ConfigValues, settled: ConfigValues): void {
  const value = ({ open, secrets }: ConfigValues, key: string): unknown => own(secrets, key) ?? own(open, key) ?? ''
  for (const { key } of fields) {
    const [before, after] = [value(stored, key), value(settled, key)]
    if (JSON.stringify(before) === JSON.stringify(after)) continue
    if (!isAddressKey(key) && !isAddress(before) && !isAddress(after)) continue
    throw invalid(
      attrOf(secret),
      `Send "config.${secret}" again: "config.${key}" changes, which may send it to another address.`,
      'required',
    )
  }
}

const ADDRESS_WORD =
  /^(account|cluster|instance|port|region|site|tenant)$|(url|uri|host|hostname|domain|endpoint|server|webhook|address|proxy)s?$/i

/** `apiHost`, `db_port`, `baseURL`. */
const isAddressKey = (key: string): boolean =>
  key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .some((word) => ADDRESS_WORD.test(word))

/** A text with a URL in it, or a bare host such as `eu.example.com:8443/path`. */
const isAddress = (value: unknown): boolean =>
  typeof value === 'string' && (value.includes('://') || /^[\w-]+(\.[\w-]+)+(:\d+)?(\/|$)/.test(value.slice(0, 300)))

/** Throws for the first required setting that is missing, as far as it is visible. */
export function requireComplete(fields: readonly Field[], { open, secrets }: ConfigValues): void {
  const current = (key: string): unknown => own(secrets, key) ?? own(open, key) ?? ''
  const holds = ([key, wanted]: Condition): boolean =>
    wanted == null ? Boolean(current(key)) : current(key) === wanted
  for (const { key, required, required_if, visible_if } of fields) {
    if (!(required || required_if.some(holds)) || !visible_if.every(holds)) continue
    if (current(key) === '') throw invalid(attrOf(key), `Send "config.${key}": the plugin requires it.`, 'required')
  }
}

/** What of the settings may be seen: what was sealed, or has become a secret since, is masked. */
export function maskSecrets(fields: readonly Field[], open: Values, secretKeys: readonly string[]): Values {
  const secret = new Set(fields.filter((field) => field.secret).map(({ key }) => key))
  const masked = Object.entries(open).map(([key, value]) => [key, secret.has(key) && value !== '' ? MASK : value])
  return Object.fromEntries([...masked, ...secretKeys.map((key) => [key, MASK])])
}

function demandFit({ key, type, choices }: Field, value: unknown): void {
  const wrong = (wanted: string) => invalid(attrOf(key), `"config.${key}" must be ${wanted}.`)
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
      if (typeof value === 'string' && value !== '' && !isJson(value)) throw wrong('JSON, or a text that holds JSON')
      break
    case 'string':
    case 'attachment':
      if (typeof value !== 'string') throw wrong('a text')
      break
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
