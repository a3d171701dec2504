/** Resolves field names to columns and JSON paths. */
import { type Sql, sql } from '../sql/template.ts'
import type { Field } from './ast.ts'
import type { Env, FieldColumn, Table } from './env.ts'
import { didYouMean, display, HogqlError } from './error.ts'
import { jsonText } from './json.ts'
import { isMirroredKey } from './mirror-columns.ts'
import {
  DATETIME,
  type HogType,
  INTEGER,
  JSON_TYPE,
  type MirroredProperty,
  STRING,
  type TypedSql,
  UUID,
} from './typed.ts'

const column = (type: HogType, fragment: Sql, nullable = false, person = false): FieldColumn => ({
  type,
  sql: fragment,
  nullable,
  person,
})

const EVENT = {
  uuid: column(UUID, sql`e.uuid`),
  event: column(STRING, sql`e.event`),
  distinct_id: column(STRING, sql`e.distinct_id`),
  timestamp: column(DATETIME, sql`e.timestamp`),
  created_at: column(DATETIME, sql`e.created_at`),
  properties: column(JSON_TYPE, sql`e.properties`),
  elements_chain: column(STRING, sql`e.elements_chain`, true),
  team_id: column(INTEGER, sql`e.project_id`),
  person_id: column(UUID, sql`p.id`, true, true),
} satisfies Record<string, FieldColumn>
const PERSON = {
  id: column(UUID, sql`p.id`, true, true),
  created_at: column(DATETIME, sql`p.created_at`, true, true),
  properties: column(JSON_TYPE, sql`p.properties`, true, true),
} satisfies Record<string, FieldColumn>
/** Fields that clients send as properties. */
export const PROPERTY_FIELDS = ['$session_id', '$window_id', '$group_0', '$group_1', '$group_2', '$group_3', '$group_4']

export const FIELD_NAMES: readonly string[] = [...Object.keys(EVENT), 'person', ...PROPERTY_FIELDS]
export const PERSON_FIELD_NAMES: readonly string[] = Object.keys(PERSON).map((column) => `person.${column}`)

const columnIn = (table: Record<string, FieldColumn>, key: string | number | undefined): FieldColumn | undefined =>
  typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined

export function resolve(node: Field, env: Env): TypedSql {
  const [name, ...rest] = node.chain
  const { at } = node
  const local = env.names.get(name)
  if (local) {
    if (rest.length) throw new HogqlError(`${display(name)} has no members.`, at)
    return { ...local, at }
  }
  const [key, ...path] = rest
  if (env.table) return resolveIn(env.table, node, env)
  if (name === 'events' && key !== undefined)
    return resolve({ ...node, chain: [String(key), ...path] }, withoutAliases(env))
  if (PROPERTY_FIELDS.includes(name) && !rest.length) return property(at, EVENT.properties, [name])
  const eventColumn = columnIn(EVENT, name)
  if (eventColumn) return member(node, eventColumn, rest)
  if (name === 'person') {
    const personColumn = columnIn(PERSON, key)
    if (personColumn) return member(node, personColumn, path)
    if (key === undefined)
      throw new HogqlError(`person is not a value. Use person.id, person.created_at or person.properties.`, at)
    throw unknownField(`person.${key}`, at, PERSON_FIELD_NAMES)
  }
  const alias = env.aliases?.get(name)
  if (alias && !rest.length) return { ...env.build(alias, withoutAliases(env)), at }
  throw unknownField(name, at, [...env.names.keys(), ...FIELD_NAMES, ...(env.aliases?.keys() ?? [])])
}

/** Resolves a field of another table than `events`. */
function resolveIn(table: Table, node: Field, env: Env): TypedSql {
  const [name, key, ...path] = node.chain
  if (name === table.name && key !== undefined)
    return resolve({ ...node, chain: [String(key), ...path] }, withoutAliases(env))
  const found = columnIn(table.fields, name)
  if (found) return member(node, found, node.chain.slice(1))
  const alias = env.aliases?.get(name)
  if (alias && key === undefined) return { ...env.build(alias, withoutAliases(env)), at: node.at }
  throw unknownField(name, node.at, [...env.names.keys(), ...Object.keys(table.fields), ...(env.aliases?.keys() ?? [])])
}

const withoutAliases = (env: Env): Env => ({ ...env, aliases: undefined })

function unknownField(name: string, at: number, known: readonly string[]): HogqlError {
  const hint = didYouMean(name, known)
  const quotes = !hint && !/^[\w$.]+$/.test(name) ? ' Strings are written in single quotes.' : ''
  return new HogqlError(`Unknown field ${display(name)}.${hint}${quotes}`, at)
}

function member(
  node: Field,
  { type, sql: fragment, nullable, person }: FieldColumn,
  path: (string | number)[],
): TypedSql {
  const { at } = node
  if (type.kind === 'json') return property(at, { type, sql: fragment, nullable, person }, path)
  if (path.length) throw new HogqlError(`${display(node.chain[0])} has no members. Only properties have members.`, at)
  return { at, sql: fragment, type, nullable, aggregate: false, row: true, person }
}

function mirroredProperty(root: Sql, [key, ...inner]: (string | number)[]): MirroredProperty | undefined {
  if (typeof key !== 'string' || inner.length || !isMirroredKey(key)) return undefined
  if (root === EVENT.properties.sql) return { of: 'e', key }
  return root === PERSON.properties.sql ? { of: 'p', key } : undefined
}

function property(at: number, { sql: root, nullable, person }: FieldColumn, path: (string | number)[]): TypedSql {
  const json = { root, path, mirrored: mirroredProperty(root, path) }
  if (!path.length) return { at, sql: root, type: JSON_TYPE, nullable, aggregate: false, row: true, person, json }
  return { at, sql: jsonText(json), type: STRING, nullable: true, aggregate: false, row: true, person, json }
}
