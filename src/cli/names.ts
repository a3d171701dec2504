/** Turns names and email addresses into ids, and finds the organization and project of a command. */
import { type Command, Option } from 'commander'
import type { Variables } from '../config.ts'
import type { Operation } from '../contract/table.ts'
import { type Body, get, listAll, rowsOf } from './client.ts'
import { valueAt } from './columns.ts'
import { type Connection, readSettings } from './connection.ts'
import { commandError, EXIT, usageError } from './failure.ts'
import { type Flags, flagValue, type Inputs, type Scope } from './inputs.ts'
import { singleLine } from './print.ts'

interface Kind {
  noun: string
  /** The path of the id in a row. */
  id: string
  names: string[]
  /** Ids are numbers. Those of the other kinds are UUIDs. */
  isNumeric?: boolean
}

const plugin: Kind = { noun: 'plugin', id: 'id', names: ['name'], isNumeric: true }

/** By the last word of the collection's path. */
const KINDS = {
  organizations: { noun: 'organization', id: 'id', names: ['name', 'slug'] },
  projects: { noun: 'project', id: 'id', names: ['name'], isNumeric: true },
  members: { noun: 'member', id: 'user.uuid', names: ['user.email'] },
  invites: { noun: 'invite', id: 'id', names: ['target_email'] },
  domains: { noun: 'domain', id: 'id', names: ['domain'] },
  integrations: { noun: 'integration', id: 'id', names: ['name'] },
  alerts: { noun: 'alert', id: 'id', names: ['name'] },
  batch_exports: { noun: 'batch export', id: 'id', names: ['name'] },
  pipeline_destinations: plugin,
  pipeline_frontend_apps: plugin,
  pipeline_import_apps: plugin,
  plugin_configs: { noun: 'plugin configuration', id: 'id', names: ['name'], isNumeric: true },
  test_events: { noun: 'test event', id: 'id', names: ['name'] },
  personal_api_keys: { noun: 'key', id: 'id', names: ['label'] },
} satisfies Record<string, Kind>

/** The names that the help of an argument mentions. */
export const namesOf = (collection: string): string[] =>
  (kindOf(collection)?.names ?? []).map((path) => path.split('.').at(-1)?.replace('target_', '') ?? '')

export const kindOf = (collection: string): Kind | undefined =>
  (KINDS as Record<string, Kind>)[collection.split('/').at(-2) ?? '']

const MAX_CANDIDATES = 10

/** The query for the largest page. The list of keys has no pages. */
export const pageOf = (collection: string): string =>
  collection + (collection.endsWith('/personal_api_keys/') ? '' : '?limit=1000')

/** Whether the text has the form of an id, so it needs no lookup. */
export const isId = ({ isNumeric }: Kind, text: string): boolean =>
  text.startsWith('@') ||
  (isNumeric ? /^\d{1,15}$/.test(text) : /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))

/** The id of a resource in one of these lists of the same kind. Their paths end with a slash. */
export async function idOf(server: Connection, collections: string | string[], text: string): Promise<string> {
  const lists = [collections].flat()
  const [first = ''] = lists
  if (isRuns(first) && text === LATEST) return latestRun(server, first)
  const kind = kindOf(first)
  if (!kind || isId(kind, text)) return text
  const rows: Body[] = []
  for (const list of lists) rows.push(...(await listAll(server, pageOf(list))))
  return pick(kind, rows, text)
}

/** Stands for the newest run of an export. */
export const LATEST = 'latest'

export const isRuns = (collection: string): boolean => collection.endsWith('/runs/')

async function latestRun(server: Connection, runs: string): Promise<string> {
  const [newest] = rowsOf(await get(server, runs))
  if (!newest) throw commandError(EXIT.not_found, 'The export has no run yet. Start one with `backfill`.')
  return String(newest.id)
}

export const idIn = (kind: Kind, row: Body): string => String(valueAt(row, kind.id))

export const namesIn = (kind: Kind, row: Body): string[] =>
  kind.names
    .map((path) => valueAt(row, path))
    .filter((one) => one !== null && one !== undefined)
    .map(String)

/** An id wins over a name, and an exact name over one that differs in case. */
function pick(kind: Kind, rows: Body[], text: string): string {
  const lower = text.toLowerCase()
  const ways: ((row: Body) => boolean)[] = [
    (row) => idIn(kind, row) === text,
    (row) => namesIn(kind, row).includes(text),
    (row) => namesIn(kind, row).some((name) => name.toLowerCase() === lower),
  ]
  const matching = ways.map((isMatch) => rows.filter(isMatch)).find((some) => some.length > 0) ?? []
  const ids = new Set(matching.map((row) => idIn(kind, row)))
  const [only, second] = ids
  if (only !== undefined && second === undefined) return only
  const shown = singleLine(text)
  if (second !== undefined)
    throw usageError(`Several ${kind.noun}s are named "${shown}": ${candidates(kind, matching)}. Use an id.`)
  const known = rows.length ? `There are: ${candidates(kind, rows)}.` : 'The list is empty.'
  throw commandError(EXIT.not_found, `No ${kind.noun} is named "${shown}". ${known}`)
}

function candidates(kind: Kind, rows: Body[]): string {
  const all = [...new Set(rows.map((row) => singleLine(`${namesIn(kind, row)[0] ?? '-'} (${idIn(kind, row)})`)))]
  const more = all.length > MAX_CANDIDATES ? ` and ${all.length - MAX_CANDIDATES} more` : ''
  return all.slice(0, MAX_CANDIDATES).join(', ') + more
}

/** The id among rows of the database, for the commands that work on it. Undefined if no row matches. */
export const localIdOf = (kind: 'organizations' | 'projects', rows: Body[], text: string): string | undefined =>
  rows.length ? pick(KINDS[kind], rows, text) : undefined

interface Lists {
  /** `path` is the organization or project in the path of the operation. */
  of: 'account' | 'path' | 'organization'
  lists: string[]
}

const PLUGINS = ['pipeline_destinations/', 'pipeline_frontend_apps/', 'pipeline_import_apps/']

/** The parameters and fields of bodies that take the id of another resource. */
const LISTS_OF_FIELDS: Record<string, Lists> = {
  'activity_log.user': { of: 'path', lists: ['members/'] },
  'alerts.batch_export_id': { of: 'path', lists: ['batch_exports/'] },
  'alerts.team_id': { of: 'path', lists: ['projects/'] },
  'api_keys.scoped_organizations': { of: 'account', lists: ['organizations/'] },
  'api_keys.scoped_teams': { of: 'account', lists: ['projects/'] },
  'batch_exports.integration': { of: 'organization', lists: ['integrations/'] },
  'plugin_configs.plugin': { of: 'organization', lists: PLUGINS },
  'plugin_configs.plugin_config': { of: 'path', lists: ['plugin_configs/'] },
  'project_batch_exports.integration': { of: 'organization', lists: ['integrations/'] },
  'users.set_current_organization': { of: 'account', lists: ['organizations/'] },
  'users.set_current_team': { of: 'account', lists: ['projects/'] },
}

const listsOfField = ({ area }: Operation, name: string): Lists | undefined =>
  Object.hasOwn(LISTS_OF_FIELDS, `${area}.${name}`) ? LISTS_OF_FIELDS[`${area}.${name}`] : undefined

/** The names that the help of a flag mentions. */
export const namesOfField = (operation: Operation, name: string): string[] =>
  namesOf(`/${listsOfField(operation, name)?.lists[0] ?? ''}`)

/** The paths of the lists that contain the resource. `path` is the filled path of the operation, or its start. */
export async function collectionsOfField(
  server: Connection,
  operation: Operation,
  name: string,
  path: string,
): Promise<string[]> {
  const found = listsOfField(operation, name)
  if (!found) return []
  const root =
    found.of === 'account' ? '/api/' : (/^\/api\/(organizations|projects)\/[^/]+\//.exec(path)?.[0] ?? '/api/')
  if (found.of !== 'organization' || !root.startsWith('/api/projects/')) return found.lists.map((list) => root + list)
  const organization = encodeURIComponent(String((await get(server, root)).organization))
  return found.lists.map((list) => `/api/organizations/${organization}/${list}`)
}

/** The flags with ids in place of names. `path` is the filled path of the operation. */
export async function withIds(
  operation: Operation,
  { query, body }: Inputs,
  server: Connection,
  path: string,
  flags: Flags,
): Promise<Flags> {
  const resolved = { ...flags }
  for (const input of [...query, ...body]) {
    const given = flagValue(input, flags)
    if (given === undefined || !listsOfField(operation, input.name)) continue
    const collections = await collectionsOfField(server, operation, input.name, path)
    const idOfText = (text: string) => (/^(null|\[.*|)$/s.test(text) ? text : idOf(server, collections, text))
    const isList = Array.isArray(given)
    const texts = [given]
      .flat()
      .map(String)
      .flatMap((text) => (isList && !text.startsWith('[') ? text.split(',') : text))
    const ids: string[] = []
    for (const text of texts) ids.push(await idOfText(text.trim()))
    resolved[input.option.attributeName()] = isList ? ids : ids[0]
  }
  return resolved
}

export interface ScopeFlags {
  organization?: string
  project?: string
}

/** Where a choice comes from, most specific first. */
const SOURCES = ['flag', 'environment', 'profile'] as const

interface Choice {
  text: string
  source: number
}

function choiceOf(scope: Scope, flags: ScopeFlags, variables: Variables, { profile }: Connection): Choice | undefined {
  const { WORKSPACE_ORGANIZATION, WORKSPACE_PROJECT } = readSettings(variables, {})
  const fromEnvironment = scope === 'organization' ? WORKSPACE_ORGANIZATION : WORKSPACE_PROJECT
  const texts = [flags[scope], fromEnvironment, profile?.[scope]]
  const source = texts.findIndex((text) => text !== undefined)
  const text = texts[source]
  if (text?.trim() === '') throw usageError(`--${scope} is empty. Use an id or a name.`)
  return text === undefined ? undefined : { text, source }
}

/**
 * The id of the organization or project: from the flag, the environment, the profile, or else undefined, which stands for
 * `@current`. A project from a less specific source than the organization is ignored.
 */
export async function scopeId(
  scope: Scope,
  server: Connection,
  flags: ScopeFlags,
  variables: Variables,
): Promise<string | undefined> {
  const organization = choiceOf('organization', flags, variables, server)
  if (scope === 'organization') return organization && idOf(server, '/api/organizations/', organization.text)
  const chosen = choiceOf('project', flags, variables, server)
  const project = chosen && organization && organization.source < chosen.source ? undefined : chosen
  if (!project && organization?.text === '@current') return undefined
  const isPairOfProfile = project?.source === SOURCES.indexOf('profile')
  if (!organization || isPairOfProfile || (project && organization.source > project.source))
    return project && idOf(server, '/api/projects/', project.text)
  const organization_id = await idOf(server, '/api/organizations/', organization.text)
  const collection = `/api/organizations/${encodeURIComponent(organization_id)}/projects/`
  const rows = await listAll(server, pageOf(collection))
  if (project?.text.startsWith('@')) return project.text
  if (project) return pick(KINDS.projects, rows, project.text)
  const [only, second] = rows
  if (!only) throw commandError(EXIT.not_found, 'The organization has no project. Create one with `projects create`.')
  if (second)
    throw usageError(
      `The organization has several projects: ${rows
        .slice(0, MAX_CANDIDATES)
        .map((row) => singleLine(`${row.name} (${row.id})`))
        .join(', ')}. Add --project.`,
    )
  return String(only.id)
}

const SCOPE_HELP: Record<Scope, string> = {
  organization: 'its id or name (default: WORKSPACE_ORGANIZATION, the profile, then @current)',
  project: 'its id or name (default: WORKSPACE_PROJECT, the profile, then @current)',
}

/** The flags that select an organization or project of the server, for shell completion. */
export const SCOPE_OPTIONS = new WeakMap<Option, Scope>()

export function scopeOption(scope: Scope, help = SCOPE_HELP[scope]): Option {
  const option = new Option(`--${scope} <${scope}>`, help)
  SCOPE_OPTIONS.set(option, scope)
  return option
}

/** Adds --organization, and --project for resources of a project. */
export function withScopeOptions(command: Command, scope: Scope): Command {
  if (scope === 'project') command.addOption(scopeOption('project'))
  return command.addOption(scopeOption('organization'))
}

/**
 * Fills in the ids of the path, from left to right. A name is looked up in the list at the path so far. `end` is the
 * parameter that ends the result.
 */
export async function pathOf(
  { path, isPublic }: Operation,
  { arguments: parameters, scopes }: Pick<Inputs, 'arguments' | 'scopes'>,
  server: Connection,
  variables: Variables,
  args: string[],
  flags: ScopeFlags,
  end?: string,
): Promise<string> {
  let filled = ''
  for (const part of path.split(/(?=\{)|(?<=\})/)) {
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? []
    if (name === undefined) {
      filled += part
      continue
    }
    if (name === end) return filled
    const scope = scopes.find((one) => one.name === name)?.scope
    const text = scope ? undefined : (args[parameters.findIndex((parameter) => parameter.name === name)] ?? '')
    // URL parsing resolves dot segments: `domains delete ..` would delete the organization.
    if (text !== undefined && /^\.{0,2}$/.test(text)) throw usageError(`"${text}" is not a valid ${name}.`)
    const id = scope
      ? ((await scopeId(scope, server, flags, variables)) ?? '@current')
      : isPublic
        ? (text ?? '')
        : await idOf(server, filled, text ?? '')
    filled += encodeURIComponent(id)
  }
  return filled
}
