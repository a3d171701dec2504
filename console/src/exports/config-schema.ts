/** The destination configs of the contract as fields of a form. */
import schemas from 'virtual:destination-schemas'
import type { DestinationType } from './destinations.tsx'

/** The parts of JSON Schema that the contract uses for destination configs. */
export interface FieldSchema {
  type?: string | string[]
  description?: string
  enum?: (string | number | null)[]
  const?: unknown
  default?: unknown
  format?: string
  writeOnly?: boolean
  'x-credential'?: boolean
  'x-unused'?: boolean
  'x-secret-receiver'?: true | { if?: string; unless?: string }
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  maxItems?: number
  items?: FieldSchema
  oneOf?: FieldSchema[]
  anyOf?: FieldSchema[]
  properties?: Record<string, FieldSchema>
}

export interface ConfigSchema {
  title?: string
  description?: string
  required?: string[]
  properties?: Record<string, FieldSchema>
  allOf?: ConfigSchema[]
}

export interface Field {
  /** The keys of nested objects are joined by two underscores, as in the `attr` of errors. */
  key: string
  label: string
  hint: string
  kind: 'text' | 'secret' | 'choice' | 'flag' | 'number' | 'list'
  required: boolean
  nullable: boolean
  schema: FieldSchema
  /** Whether stored credentials have the field: always, or depending on another setting. */
  credential: 'always' | 'conditional' | 'never'
}

export type Config = Record<string, unknown>

/** The schema of a destination type in the contract. */
export const describeType = (type: DestinationType): string => plainText(schemas[type]?.description ?? '')

const SEPARATOR = '__'

/** Required settings first, then secrets, then options. */
export function fieldsOf(type: DestinationType): Field[] {
  const schema = schemas[type]
  if (!schema) return []
  const parts = [...(schema.allOf ?? []), schema]
  const required = new Set(parts.flatMap((part) => part.required ?? []))
  const properties: Record<string, FieldSchema> = Object.assign({}, ...parts.map((part) => part.properties))
  const names = Object.keys(properties)
  const fieldsIn = (members: Record<string, FieldSchema>, parents: readonly string[]): Field[] =>
    Object.entries(members).flatMap(([name, property]) => {
      const schema = withoutNull(property)
      const path = [...parents, name]
      if (schema.properties) return fieldsIn(schema.properties, path)
      const kind = kindOf(schema)
      if (kind === undefined || property['x-unused']) return []
      return [
        {
          key: path.join(SEPARATOR),
          label: labelOf(name),
          hint: plainText(property.description ?? schema.description ?? '', names),
          kind,
          // Nested objects are optional.
          required: parents.length === 0 && required.has(name),
          nullable: allowsNull(property),
          schema,
          credential: credentialOf(property),
        },
      ]
    })
  const fields = fieldsIn(properties, [])
  const rank = ({ required, kind }: Field): number =>
    required ? (kind === 'secret' ? 1 : 0) : kind === 'secret' ? 2 : 3
  return fields.toSorted((first, second) => rank(first) - rank(second))
}

/** As the server derives the credentials of a type from its config. */
function credentialOf(schema: FieldSchema): Field['credential'] {
  const receiver = schema['x-secret-receiver']
  if (typeof receiver === 'object' && (receiver.if ?? receiver.unless) !== undefined) return 'conditional'
  const hasSecrets = schema.anyOf?.some(({ properties = {} }) => Object.values(properties).some((one) => one.writeOnly))
  return schema.writeOnly || schema['x-credential'] || receiver || hasSecrets ? 'always' : 'never'
}

/** The types that credentials can be stored for. */
export const hasCredentials = (type: DestinationType): boolean => fieldsOf(type).some(({ kind }) => kind === 'secret')

/** The fields of stored credentials. The server asks for conditional ones if they are needed. */
export const credentialFields = (type: DestinationType): Field[] =>
  fieldsOf(type).flatMap((field) => {
    if (field.credential === 'never') return []
    return [field.credential === 'conditional' ? { ...field, required: false } : field]
  })

/** The fields of an export with stored credentials. */
export const fieldsBeside = (type: DestinationType, credentials: Config): Field[] =>
  fieldsOf(type).filter(({ key, credential, schema }) => {
    if (credential !== 'conditional') return credential === 'never'
    const { if: needed, unless } = Object(schema['x-secret-receiver'])
    const isEffective = (needed === undefined || credentials[needed]) && (unless === undefined || !credentials[unless])
    return !isEffective && credentials[key] === undefined
  })

/** The values of the fields, also of those in nested objects. */
export const flatConfig = (fields: readonly Field[], config: Config): Config =>
  Object.fromEntries(
    fields.flatMap(({ key }) => {
      const value = key
        .split(SEPARATOR)
        .reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), config)
      return value === undefined || isObject(value) ? [] : [[key, value]]
    }),
  )

/** The config as the server reads it. */
export function nestedConfig(flat: Config): Config {
  const config: Config = {}
  for (const [key, value] of Object.entries(flat)) {
    const path = key.split(SEPARATOR)
    const last = path.pop() ?? ''
    let inner = config
    for (const name of path) {
      const next = isObject(inner[name]) ? inner[name] : {}
      inner[name] = next
      inner = next
    }
    inner[last] = value
  }
  return config
}

const isObject = (value: unknown): value is Config =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const typesOf = ({ type }: FieldSchema): string[] => (type === undefined ? [] : [type].flat())

const allowsNull = (schema: FieldSchema): boolean =>
  typesOf(schema).includes('null') || (schema.oneOf ?? schema.anyOf ?? []).some(allowsNull)

/** Optional settings are `oneOf` a schema and null. */
function withoutNull(schema: FieldSchema): FieldSchema {
  const choices = schema.oneOf ?? schema.anyOf
  return choices?.find((choice) => !typesOf(choice).includes('null')) ?? schema
}

function kindOf(schema: FieldSchema): Field['kind'] | undefined {
  if (schema.writeOnly) return 'secret'
  if (schema.enum) return 'choice'
  const [type] = typesOf(schema).filter((name) => name !== 'null')
  switch (type) {
    case 'boolean':
      return 'flag'
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return 'list'
    case 'string':
      return 'text'
    default:
      return undefined
  }
}

const UPPER_CASE = new Set(['aws', 'id', 'url', 'kms', 'json', 's3'])

/** For example "AWS access key ID" for `aws_access_key_id`. */
export function labelOf(key: string): string {
  const words = key
    .split('_')
    .map((word) => (word === 'mb' ? '(MB)' : UPPER_CASE.has(word) ? word.toUpperCase() : word))
  const text = words.join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Descriptions are Markdown for readers of the API: code marks become plain words, and null becomes an empty field. */
const plainText = (markdown: string, keys: readonly string[] = []): string =>
  markdown
    .replace(/`([^`]{1,100})`/g, (_, code: string) =>
      keys.includes(code) ? `“${labelOf(code)}”` : /^\W+$/.test(code) ? `"${code}"` : code,
    )
    .replace(/\b(?:Empty, null or absent|0, null or absent|Null or absent) for\b/g, 'Leave empty for')
    .replace(/\s+/g, ' ')
    .trim()
