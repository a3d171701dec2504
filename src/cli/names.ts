/** Turns names and email addresses into ids, and finds the organization and project of a command. */
import type { Command } from 'commander'
import type { Variables } from '../config.ts'
import type { Operation } from '../contract/table.ts'
import { type Body, get, listAll, rowsOf } from './client.ts'
import { valueAt } from './columns.ts'
import { type Connection, readSettings } from './connection.ts'
import { commandError, EXIT, usageError } from './failure.ts'
import type { Inputs, Scope } from './inputs.ts'
import { singleLine } from './print.ts'

interface Kind {
  noun: string
  /** The path of the id in a row. */
  id: string
  names: string[]
}

const plugin: Kind = { noun: 'plugin', id: 'id', names: ['name'] }

/** By the last word of the collection's path. */
const KINDS: Record<string, Kind> = {
  organizations: { noun: 'organization', id: 'id', names: ['name', 'slug'] },
  projects: { noun: 'project', id: 'id', names: ['name'] },
  members: { noun: 'member', id: 'user.uuid', names: ['user.email'] },
  invites: { noun: 'invite', id: 'id', names: ['target_email'] },
  domains: { noun: 'domain', id: 'id', names: ['domain'] },
  integrations: { noun: 'integration', id: 'id', names: ['name'] },
  alerts: { noun: 'alert', id: 'id', names: ['name'] },
  batch_exports: { noun: 'batch export', id: 'id', names: ['name'] },
  pipeline_destinations: plugin,
  pipeline_frontend_apps: plugin,
  pipeline_import_apps: plugin,
  plugin_configs: { noun: 'plugin configuration', id: 'id', names: ['name'] },
  personal_api_keys: { noun: 'key', id: 'id', names: ['label'] },
}

/** The names that the help of an argument mentions. */
export const namesOf = (collection: string): string[] =>
  (kindOf(collection)?.names ?? []).map((path) => path.split('.').at(-1)?.replace('target_', '') ?? '')

const kindOf = (collection: string): Kind | undefined => KINDS[collection.split('/').at(-2) ?? '']

const MAX_CANDIDATES = 10
/** The largest page. */
const PAGE = '?limit=1000'

/** Whether the text needs no lookup. */
const isId = (text: string): boolean =>
  text.startsWith('@') || /^\d{1,15}$/.test(text) || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

/** The id of a resource. `collection` is the path of its list, with a slash at the end. */
export async function idOf(server: Connection, collection: string, text: string): Promise<string> {
  if (collection.endsWith('/runs/') && text === LATEST) return latestRun(server, collection)
  const kind = kindOf(collection)
  if (!kind || isId(text)) return text
  const isPaged = kind !== KINDS.personal_api_keys
  return pick(kind, await listAll(server, collection + (isPaged ? PAGE : '')), text)
}

/** Stands for the newest run of an export. */
export const LATEST = 'latest'

async function latestRun(server: Connection, runs: string): Promise<string> {
  const [newest] = rowsOf(await get(server, runs))
  if (!newest) throw commandError(EXIT.not_found, 'The export has no run yet. Start one with `backfill`.')
  return String(newest.id)
}

/** An exact match wins over one that ignores case. */
function pick(kind: Kind, rows: Body[], text: string): string {
  const idOfRow = (row: Body): string => String(valueAt(row, kind.id))
  const namesOfRow = (row: Body): string[] =>
    [kind.id, ...kind.names]
      .map((path) => valueAt(row, path))
      .filter((one) => one !== null)
      .map(String)
  const exact = rows.filter((row) => namesOfRow(row).includes(text))
  const similar = rows.filter((row) => namesOfRow(row).some((name) => name.toLowerCase() === text.toLowerCase()))
  const found = exact.length ? exact : similar
  const [only, second] = found
  if (only && !second) return idOfRow(only)
  const candidates = (found.length ? found : rows).map((row) => `${namesOfRow(row)[1] ?? '-'} (${idOfRow(row)})`)
  const list = candidates.slice(0, MAX_CANDIDATES).map(singleLine).join(', ')
  const more = candidates.length > MAX_CANDIDATES ? ` and ${candidates.length - MAX_CANDIDATES} more` : ''
  const shown = singleLine(text)
  if (second) throw usageError(`Several ${kind.noun}s are named "${shown}": ${list}${more}. Use an id.`)
  throw commandError(
    EXIT.not_found,
    candidates.length
      ? `No ${kind.noun} is named "${shown}". There are: ${list}${more}.`
      : `No ${kind.noun} is named "${shown}". The list is empty.`,
  )
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
  const collection = `/api/organizations/${encodeURIComponent(organization_id)}/projects/${PAGE}`
  const rows = await listAll(server, collection)
  if (project?.text.startsWith('@')) return project.text
  if (project) return pick(KINDS.projects ?? plugin, rows, project.text)
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

/** Adds --organization, and --project for resources of a project. */
export function withScopeOptions(command: Command, scope: Scope): Command {
  if (scope === 'project') command.option('--project <project>', SCOPE_HELP.project)
  return command.option('--organization <organization>', SCOPE_HELP.organization)
}

/** Fills in the ids of the path, from left to right. A name is looked up in the list at the path so far. */
export async function pathOf(
  { path, isPublic }: Operation,
  { arguments: parameters, scopes }: Pick<Inputs, 'arguments' | 'scopes'>,
  server: Connection,
  variables: Variables,
  args: string[],
  flags: ScopeFlags,
): Promise<string> {
  let filled = ''
  for (const part of path.split(/(?=\{)|(?<=\})/)) {
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? []
    if (name === undefined) {
      filled += part
      continue
    }
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
