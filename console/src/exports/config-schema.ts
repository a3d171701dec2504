/** The destination configs of the contract as fields of a form. */
import schemas from 'virtual:destination-schemas'
import type { DestinationType } from './destinations.tsx'
import { EVENT_LISTS, FIELD_TEXTS, type FieldText } from './field-texts.ts'

/** The parts of JSON Schema that the contract uses for destination configs. */
export interface FieldSchema {
  type?: string | string[]
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
  required?: string[]
  properties?: Record<string, FieldSchema>
  allOf?: ConfigSchema[]
}

export interface Field extends FieldText {
  /** The keys of nested objects are joined by two underscores, as in the `attr` of errors. */
  key: string
  kind: 'text' | 'secret' | 'choice' | 'flag' | 'number' | 'list'
  required: boolean
  /** Whether the setting is sent even if it is empty, such as the password of a user without one. */
  mayBeEmpty: boolean
  nullable: boolean
  schema: FieldSchema
  /** Whether stored credentials have the field: always, or depending on another setting. */
  credential: 'always' | 'conditional' | 'never'
}

export type Config = Record<string, unknown>

const SEPARATOR = '__'

/** The settings of a type in the order of the form. The lists of events come last. */
export function fieldsOf(type: DestinationType): Field[] {
  const found = contractFields(schemas[type] ?? {})
  return Object.entries({ ...FIELD_TEXTS[type], ...EVENT_LISTS }).flatMap(([key, text]) => {
    const field = found.get(key)
    return field ? [{ ...field, ...text, key, required: field.required || text.isRequired === true }] : []
  })
}

type ContractField = Pick<Field, 'kind' | 'required' | 'mayBeEmpty' | 'nullable' | 'schema' | 'credential'>

function contractFields(schema: ConfigSchema): Map<string, ContractField> {
  const parts = [...(schema.allOf ?? []), schema]
  const required = new Set(parts.flatMap((part) => part.required ?? []))
  const fieldsIn = (members: Record<string, FieldSchema>, parents: readonly string[]): [string, ContractField][] =>
    Object.entries(members).flatMap(([name, property]): [string, ContractField][] => {
      const schema = withoutNull(property)
      const path = [...parents, name]
      if (schema.properties) return fieldsIn(schema.properties, path)
      const kind = kindOf(schema)
      if (kind === undefined || property['x-unused']) return []
      // Nested objects are optional.
      const isRequired = parents.length === 0 && required.has(name)
      const mayBeEmpty = isRequired && kind === 'secret' && schema.minLength === undefined
      const field: ContractField = {
        kind,
        required: isRequired && !mayBeEmpty,
        mayBeEmpty,
        nullable: allowsNull(property),
        schema,
        credential: credentialOf(property),
      }
      return [[path.join(SEPARATOR), field]]
    })
  return new Map(fieldsIn(Object.assign({}, ...parts.map((part) => part.properties)), []))
}

/**
 * The fields that have an effect with these settings. A setting that the form does not have rules out no others, but they are
 * not required.
 */
export const fieldsThatApply = (fields: readonly Field[], config: Config): Field[] =>
  fields.flatMap((field) => {
    if (!field.when) return [field]
    const [key, test] = field.when
    if (!fields.some((other) => other.key === key)) return [{ ...field, required: false }]
    return test(config[key]) ? [field] : []
  })

/** The settings of the destination itself. */
export const isSetting = ({ key }: Field): boolean => !(key in EVENT_LISTS)

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
