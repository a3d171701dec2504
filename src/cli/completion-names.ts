/** Candidates for ids: the names that the server of the profile knows. Silent and quick when it does not respond. */
import type { Command, Option } from 'commander'
import type { Variables } from '../config.ts'
import type { Operation } from '../contract/table.ts'
import { isJsonObject } from '../json/object.ts'
import { type Body, get, rowsOf } from './client.ts'
import { valueAt } from './columns.ts'
import { cached } from './completion-cache.ts'
import { type Connection, readConnection, usesServer } from './connection.ts'
import { COMMAND_OPERATIONS, inputsOf } from './inputs.ts'
import {
  collectionsOfField,
  idIn,
  isId,
  isRuns,
  kindOf,
  LATEST,
  namesIn,
  namesOfField,
  pageOf,
  pathOf,
  SCOPE_OPTIONS,
  scopeId,
} from './names.ts'
import { singleLine } from './print.ts'

/** All requests of one completion. People wait for the result. */
const DEADLINE_MS = 700

export interface Candidate {
  value: string
  description: string
}

/** The value of this flag, or the argument after these. */
export type Place = { option: Option } | { operands: readonly string[] }

type Find = (server: Connection) => Promise<string[]>

/** The candidates of the server. Empty if the place takes no id, or if the server does not answer in time. */
export async function namesAt(command: Command, place: Place, variables: Variables): Promise<Candidate[]> {
  try {
    const lists = listsAt(command, place, variables)
    const connection = lists && readConnection(variables, command.opts())
    if (!lists || !connection?.key) return []
    const server = { ...connection, signal: AbortSignal.timeout(DEADLINE_MS) }
    const { WORKSPACE_ORGANIZATION, WORKSPACE_PROJECT } = variables
    const caller = [server.url, server.key, server.profile, WORKSPACE_ORGANIZATION, WORKSPACE_PROJECT]
    const { organization, project } = command.opts()
    const subject = 'option' in place ? place.option.long : place.operands
    const context = [...caller, COMMAND_OPERATIONS.get(command)?.id, organization, project, subject]
    const collections = await cached(variables, context, isTexts, () => lists(server))
    const found = await Promise.all(
      collections.map((list) => cached(variables, [...caller, list], isCandidates, () => readCandidates(server, list))),
    )
    const all = found.flat()
    return all.filter(({ value }, i) => all.findIndex((one) => one.value === value) === i)
  } catch {
    return []
  }
}

/** How to find the lists of the resources. Undefined if the place takes no id of a server. */
function listsAt(command: Command, place: Place, variables: Variables): Find | undefined {
  const operation = COMMAND_OPERATIONS.get(command)
  if ('option' in place) {
    const worksOnDatabase = command.options.some(({ long }) => long === '--database')
    if (worksOnDatabase && !usesServer(variables, command.opts())) return undefined
    const scope = SCOPE_OPTIONS.get(place.option)
    if (scope === 'organization') return async () => ['/api/organizations/']
    if (scope === 'project') return (server) => projectLists(server, command, variables)
    return operation && flagLists(operation, place.option, command, variables)
  }
  return operation && argumentLists(operation, place.operands, command, variables)
}

/** The projects of the organization on the command line, or all of them. */
async function projectLists(server: Connection, command: Command, variables: Variables): Promise<string[]> {
  const { organization } = command.opts()
  if (organization === undefined) return ['/api/projects/']
  const id = await scopeId('organization', server, { organization }, variables)
  return [`/api/organizations/${encodeURIComponent(id ?? '@current')}/projects/`]
}

function flagLists(operation: Operation, { long }: Option, command: Command, variables: Variables): Find | undefined {
  const inputs = inputsOf(operation)
  const input = [...inputs.query, ...inputs.body].find(({ flag }) => flag === long)
  if (!input || !namesOfField(operation, input.name).length) return undefined
  return async (server) => {
    const [first] = inputs.arguments
    const path = await pathOf(operation, inputs, server, variables, [], command.opts(), first?.name)
    return collectionsOfField(server, operation, input.name, path)
  }
}

function argumentLists(
  operation: Operation,
  operands: readonly string[],
  command: Command,
  variables: Variables,
): Find | undefined {
  const inputs = inputsOf(operation)
  const parameter = inputs.arguments[operands.length]
  if (!parameter || operation.isPublic) return undefined
  const collection = operation.path.slice(0, operation.path.indexOf(`{${parameter.name}}`))
  if (!kindOf(collection) && !isRuns(collection)) return undefined
  return async (server) => [
    await pathOf(operation, inputs, server, variables, [...operands], command.opts(), parameter.name),
  ]
}

async function readCandidates(server: Connection, collection: string): Promise<Candidate[]> {
  if (isRuns(collection)) return runCandidates(rowsOf(await get(server, collection)))
  const rows = rowsOf(await get(server, pageOf(collection)))
  const kind = kindOf(collection)
  if (!kind) return []
  const nameOf = (row: Body): string => namesIn(kind, row)[0] ?? ''
  const counts = new Map<string, number>()
  for (const row of rows) counts.set(nameOf(row), (counts.get(nameOf(row)) ?? 0) + 1)
  return rows.map((row) => {
    const [id, name] = [idIn(kind, row), nameOf(row)]
    const isUsable = counts.get(name) === 1 && isPlain(name) && !isId(kind, name)
    return isUsable ? { value: name, description: id } : { value: id, description: singleLine(name) }
  })
}

/** Whether a shell can insert the text as an argument that is no flag. */
const isPlain = (name: string): boolean => name.trim() !== '' && !/^[-.]|\p{C}|[\u2028\u2029]/u.test(name)

const runCandidates = (runs: Body[]): Candidate[] => [
  { value: LATEST, description: 'the newest run' },
  ...runs.map((run) => ({
    value: String(valueAt(run, 'id')),
    description: singleLine(`${run.status} ${singleLine(run.data_interval_end)}`),
  })),
]

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

const isCandidates = (value: unknown): value is Candidate[] =>
  Array.isArray(value) &&
  value.every((one) => isJsonObject(one) && typeof one.value === 'string' && typeof one.description === 'string')
