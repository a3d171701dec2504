/** The names an expression can use, and where they are. */
import { type Sql, sql } from '../sql/template.ts'
import type { Field } from './ast.ts'
import type { Env } from './env.ts'
import { didYouMean, HogqlError, shown } from './error.ts'
import { jsonText } from './json.ts'
import { DATETIME, type HogType, INTEGER, JSON_TYPE, STRING, type Typed, UUID } from './typed.ts'

interface Column {
  type: HogType
  sql: Sql
  nullable: boolean
  person: boolean
}

const column = (type: HogType, fragment: Sql, nullable = false, person = false): Column => ({
  type,
  sql: fragment,
  nullable,
  person,
})

const EVENT: Record<string, Column> = {
  uuid: column(UUID, sql`e.uuid`),
  event: column(STRING, sql`e.event`),
  distinct_id: column(STRING, sql`e.distinct_id`),
  timestamp: column(DATETIME, sql`e.timestamp`),
  created_at: column(DATETIME, sql`e.created_at`),
  properties: column(JSON_TYPE, sql`e.properties`),
  elements_chain: column(STRING, sql`e.elements_chain`, true),
  team_id: column(INTEGER, sql`e.project_id`),
  person_id: column(UUID, sql`p.id`, true, true),
}
const PERSON: Record<string, Column> = {
  id: column(UUID, sql`p.id`, true, true),
  created_at: column(DATETIME, sql`p.created_at`, true, true),
  properties: column(JSON_TYPE, sql`p.properties`, true, true),
}
/** Kept by the senders as properties. */
const SPECIAL = ['$session_id', '$window_id', '$group_0', '$group_1', '$group_2', '$group_3', '$group_4']

export const FIELD_NAMES: readonly string[] = [...Object.keys(EVENT), 'person', ...SPECIAL]

const own = (table: Record<string, Column>, key: string | number | undefined): Column | undefined =>
  typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined

export function resolve(node: Field, env: Env): Typed {
  const [name, ...rest] = node.chain
  const { at } = node
  const local = env.names.get(name)
  if (local) {
    if (rest.length) throw new HogqlError(`${shown(name)} at position ${at} has no members.`, at)
    return { ...local, at }
  }
  if (name === 'events' && rest.length)
    return resolve({ ...node, chain: rest as unknown as Field['chain'] }, withoutAliases(env))
  if (SPECIAL.includes(name) && !rest.length) return property(at, EVENT.properties!, [name])
  const named = own(EVENT, name)
  if (named) return member(node, named, rest)
  if (name === 'person') {
    const found = own(PERSON, rest[0])
    if (found) return member(node, found, rest.slice(1))
    if (!rest.length)
      throw new HogqlError(
        `The person at position ${at} is not a value: choose person.id, person.created_at or person.properties.`,
        at,
      )
    throw unknown(
      `person.${rest[0]}`,
      at,
      Object.keys(PERSON).map((key) => `person.${key}`),
    )
  }
  const alias = env.aliases?.get(name)
  if (alias && !rest.length) return { ...env.build(alias, withoutAliases(env)), at }
  throw unknown(name, at, [...env.names.keys(), ...FIELD_NAMES, ...(env.aliases?.keys() ?? [])])
}

const withoutAliases = (env: Env): Env => ({ ...env, aliases: undefined })

function unknown(name: string, at: number, known: string[]): HogqlError {
  const hint = didYouMean(name, known)
  const quotes = !hint && !/^[\w$.]+$/.test(name) ? ' A text is written in single quotes.' : ''
  return new HogqlError(`Unknown field ${shown(name)} at position ${at}.${hint}${quotes}`, at)
}

function member(node: Field, found: Column, path: (string | number)[]): Typed {
  const { at } = node
  if (found.type.kind === 'json') return property(at, found, path)
  if (path.length)
    throw new HogqlError(`${shown(String(node.chain[0]))} at position ${at} has no members: only properties have.`, at)
  return {
    at,
    sql: found.sql,
    type: found.type,
    nullable: found.nullable,
    aggregate: false,
    row: true,
    person: found.person,
  }
}

function property(at: number, { sql: root, nullable, person }: Column, path: (string | number)[]): Typed {
  const json = { root, path }
  if (!path.length) return { at, sql: root, type: JSON_TYPE, nullable, aggregate: false, row: true, person, json }
  return { at, sql: jsonText(json), type: STRING, nullable: true, aggregate: false, row: true, person, json }
}
