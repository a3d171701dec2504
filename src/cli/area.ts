/** Derives the commands of an area from the contract: names, help and types all come from it. */
import { Argument, Command } from 'commander'
import type { Variables } from '../config.ts'
import type { OpenApiMediaType } from '../contract/document.ts'
import { contract, type Operation, operations, resolve } from '../contract/table.ts'
import { shortNameOf } from './aliases.ts'
import { type Body, isBody, nextQuery, pages, readJson, request, rowsOf, unreachable } from './client.ts'
import { type Connection, type ConnectionOptions, connect, withConnectionOptions } from './connection.ts'
import { commandError, EXIT, EXIT_CODES, EXIT_CODES_SUMMARY, usageError } from './failure.ts'
import { HINTS } from './hints.ts'
import {
  bodyOf,
  COMMAND_OPERATIONS,
  type Flags,
  fieldsOf,
  type Inputs,
  inputsOf,
  placeholder,
  queryOf,
} from './inputs.ts'
import { namesOf, namesOfField, pathOf, type ScopeFlags, scopeId, withIds, withScopeOptions } from './names.ts'
import {
  fieldNames,
  isJsonResponse,
  isUnchanged,
  note,
  type Output,
  type OutputFlags,
  printBodies,
  printRaw,
  readOutput,
  withOutputOptions,
} from './output.ts'
import { singleLine } from './print.ts'
import { confirm, isInteractive } from './prompt.ts'
import { shellQuote } from './quote.ts'
import { print } from './streams.ts'
import { addTailOptions, isTail, type TailFlags, tailEvents, tailQuery } from './tail.ts'
import { addWatchOption, followLogs, isLog, watchBackfill, watchCommand } from './watch.ts'

const MAX_EXAMPLE_LENGTH = 160

export const areas: { name: string; description: string }[] = contract.tags

/** Browsers send OPTIONS; people do not. */
const callable = operations.filter(({ method }) => method !== 'OPTIONS')

export const verbOf = ({ id, area }: Operation): string => id.slice(area.length + 1)

/** `localCommands` are the commands of the area that work on the database. */
export function areaCommand(name: string, localCommands: Command[], variables: Variables): Command {
  const inArea = callable.filter((operation) => operation.area === name)
  const command = new Command(shortNameOf(name))
  if (command.name() !== name) command.alias(name)
  command.description(areas.find((area) => area.name === name)?.description ?? '')
  for (const local of localCommands) command.addCommand(local.helpGroup("On this machine's database:"))
  for (const operation of inArea) command.addCommand(operationCommand(operation, variables).helpGroup('Over HTTP:'))
  if (name === 'batch_export_runs') command.addCommand(watchCommand(variables).helpGroup('Over HTTP:'))
  const [example] = inArea.map(verbOf)
  return command.addHelpText(
    'after',
    `\nHelp and an example for one of them:\n  $ workspace-admin ${command.name()} ${example} --help\n${EXIT_CODES}`,
  )
}

type OperationFlags = ConnectionOptions &
  OutputFlags &
  ScopeFlags &
  Flags &
  TailFlags & { all?: boolean; yes?: boolean; watch?: boolean }

/** Lists with a `next` page. The parts of a histogram repeat the same rows. */
const isPaged = ({ id, method, response }: Operation): boolean => {
  const body = response.content?.['application/json']?.schema
  return method === 'GET' && id !== 'events.histogram' && body !== undefined && 'next' in fieldsOf(body).properties
}

function operationCommand(operation: Operation, variables: Variables): Command {
  const { source, method, path } = operation
  const inputs = inputsOf(operation)
  for (const { name, option } of [...inputs.query, ...inputs.body]) {
    const names = namesOfField(operation, name)
    if (names.length) option.description += ` Its ${names.join(' or ')} works too if it is unique.`
  }
  const command = new Command(verbOf(operation))
    .summary(lowerFirst(source.summary))
    .description(unwrap((source.description ?? source.summary).replace('This operation is deprecated. ', '')))
  COMMAND_OPERATIONS.set(command, operation)
  for (const { name, description } of inputs.arguments) {
    const names = namesOf(path.slice(0, path.indexOf(`{${name}}`)))
    const isRun = path.slice(0, path.indexOf(`{${name}}`)).endsWith('/runs/')
    const help = isRun
      ? `${description} "latest" is the newest run.`
      : names.length
        ? `${description} Its ${names.join(' or ')} works too if it is unique.`
        : description
    command.addArgument(new Argument(`<${name}>`, help))
  }
  const [scope] = [...inputs.scopes, ...(inputs.scopeField ? [inputs.scopeField] : [])]
    .map((one) => one.scope)
    .sort()
    .reverse()
  command.optionsGroup('Scope:')
  if (scope) withScopeOptions(command, scope)
  command.optionsGroup('Query:')
  for (const { option } of inputs.query) command.addOption(option)
  command.optionsGroup('Body:')
  for (const { option } of inputs.body) command.addOption(option)
  if (source.requestBody)
    command.option('--data <json>', 'the request body: JSON, a file, or - for standard input; other flags override it')
  command.optionsGroup('Connection:')
  if (operation.isPublic)
    withConnectionOptions(command, 'an optional personal API key, or another bearer token that the operation accepts')
  else withConnectionOptions(command)
  command.optionsGroup('Output:')
  withOutputOptions(command, fieldNames(operation))
  if (isPaged(operation)) command.option('--all', 'follow all pages')
  if (method === 'DELETE') command.option('-y, --yes', 'do not ask for confirmation')
  addWatchOption(command, operation)
  if (isTail(operation)) addTailOptions(command)
  return command
    .addHelpText('after', () => `\n${notes(operation, inputs)}\n\n${EXIT_CODES_SUMMARY}`)
    .action(() => run(operation, inputs, variables, command.args, command.opts()))
}

async function run(
  operation: Operation,
  inputs: Inputs,
  variables: Variables,
  args: string[],
  given: OperationFlags,
): Promise<void> {
  requireCredential(inputs, given)
  const output = outputOf(operation, given)
  if ((output.jq !== undefined || output.raw) && !operation.response.content?.['application/json'])
    throw usageError('This operation does not respond with JSON, so --jq and --raw do not work.')
  const server = connect(operation, variables, given)
  const path = await pathOf(operation, inputs, server, variables, args, given)
  const flags: OperationFlags = await withIds(operation, inputs, server, path, given)
  const scope = inputs.scopeField && (await scopeId(inputs.scopeField.scope, server, flags, variables))
  const body = await bodyOf(
    operation,
    inputs,
    flags,
    inputs.scopeField?.scope === 'project' && scope ? Number(scope) : scope,
  )
  if (operation.method === 'DELETE' && !flags.yes) await requireConfirmation(operation, server, path)
  const query = isTail(operation) ? tailQuery(queryOf(inputs, flags), flags) : queryOf(inputs, flags)
  if (flags.all && !query.has('limit')) {
    const limit = operation.parameters.find(({ name }) => name === 'limit')?.schema.maximum
    if (limit !== undefined) query.set('limit', String(Math.min(limit, 1000)))
  }
  const url = query.size ? `${path}?${query}` : path
  if (isTail(operation) && (flags.follow || output.format !== 'json'))
    return tailEvents(operation, server, path, query, flags, output)
  if (flags.follow && isLog(operation)) return followLogs(operation, server, path, query, output)
  if (flags.all) return printAll(operation, server, url, output)
  const content = await call(operation, inputs, server, { path: url, body, isWatched: flags.watch === true }, output)
  if (flags.watch) await watchBackfill(server, content)
}

/** `events tail` prints one event per line, also with --json. */
function outputOf(operation: Operation, flags: OperationFlags): Output {
  const output = readOutput(flags)
  return isTail(operation) && flags.output === undefined && output.format === 'json'
    ? { ...output, format: 'ndjson' }
    : output
}

/** Where a parameter is also named `key`, rejects its value in --key, which would be sent as a credential. */
function requireCredential({ query, body }: Inputs, { key }: ConnectionOptions): void {
  const namesake = [...query, ...body].find(({ name }) => name === 'key')
  if (namesake && key !== undefined && !key.trim().startsWith('phx_'))
    throw usageError(
      `--key takes a personal API key, which starts with phx_. Use ${namesake.flag} for the parameter "key".`,
    )
}

/** Asks for confirmation with the name of the resource, so a wrong id is noticed. */
async function requireConfirmation(operation: Operation, server: Connection, path: string): Promise<void> {
  const verb = `${shortNameOf(operation.area)} ${verbOf(operation)}`
  if (!isInteractive())
    throw usageError(`\`${verb}\` needs a confirmation, and standard input is not a terminal. Add --yes.`)
  const retrieval = operations.find((one) => one.method === 'GET' && one.path === operation.path)
  const found = retrieval && (await readJson(server, await request(server, { method: 'GET', path })))
  const name = isBody(found) ? (found.name ?? found.label ?? found.domain) : undefined
  const id = decodeURIComponent(path.split('/').at(-2) ?? '')
  const question = `${operation.source.summary}: ${name ? `${singleLine(name)} (${id})` : id}?`
  if (!(await confirm(question))) throw commandError(EXIT.failed, 'Nothing was changed.')
}

async function printAll(operation: Operation, server: Connection, path: string, output: Output): Promise<void> {
  const all = pages(server, path)
  const bodies = isLog(operation) && output.format !== 'json' ? oldestFirst(all) : all
  const count = await printBodies(bodies, output, operation)
  if (output.format === 'table' && count) note(`${count} in total.`)
}

/** Resolves with the body if it was parsed. A watched backfill is printed only as JSON or with chosen fields. */
async function call(
  operation: Operation,
  inputs: Inputs,
  server: Connection,
  { path, body, isWatched }: { path: string; body: unknown; isWatched: boolean },
  output: Output,
): Promise<unknown> {
  const { method } = operation
  const response = await request(server, { method, path, body })
  if (response.status === 204) return output.format === 'table' ? print('Done.') : undefined
  if (!isJsonResponse(response) || (isUnchanged(output) && !isWatched))
    return printRaw(response).catch((error) => {
      throw unreachable(server.url, error)
    })
  const content = await readJson(server, response)
  if (isWatched && output.format === 'table' && output.fields === undefined) return content
  const bodies = single(content)
  await printBodies(isLog(operation) && output.format !== 'json' ? oldestFirst(bodies) : bodies, output, operation)
  for (const line of pageNotes(content, inputs)) note(line)
  if (output.format !== 'table') return content
  const hint = HINTS[operation.id]?.(content, server.url)
  if (hint !== undefined) print(hint)
  return content
}

/** The server lists the newest log entries first. */
async function* oldestFirst(bodies: AsyncIterable<unknown>): AsyncGenerator<Body[]> {
  const rows: Body[] = []
  for await (const body of bodies) rows.push(...rowsOf(body))
  yield rows.reverse()
}

async function* single(content: unknown): AsyncGenerator<unknown> {
  yield content
}

/** How many rows there are, and the flags that select the next page. */
function pageNotes(content: unknown, { query }: Inputs): string[] {
  const next = nextQuery(content)
  const count = isBody(content) && typeof content.count === 'number' ? content.count : undefined
  const rows = rowsOf(content).length
  const total = count !== undefined && rows ? [`${rows} of ${count}.`] : []
  if (next === undefined) return total
  const search = new URLSearchParams(next)
  const flags = query.flatMap(({ name, flag }) => {
    const value = ['offset', 'cursor', 'before'].includes(name) ? search.get(name) : null
    return value === null ? [] : [`${flag} ${shellQuote(value)}`]
  })
  return [
    ...total,
    flags.length ? `More results: add ${flags.join(' ')}, or --all.` : 'There are more results. Add --all.',
  ]
}

/** Former names of flags. */
const FORMER_FLAGS: Record<string, string> = { '--organization-id': '--organization', '--project-id': '--project' }

export function renameFlags(words: string[]): string[] {
  const [area, verb] = words
  // A command on the database has a flag --organization-id of its own.
  if (!callable.some(({ id }) => id === `${area}.${verb}`)) return words
  return words.map((word) => word.replace(/^--[a-z]+-id(?==|$)/, (flag) => FORMER_FLAGS[flag] ?? flag))
}

/** Joins the lines of a paragraph, which Commander wraps to the width of the terminal. */
const unwrap = (text: string): string => text.trim().replace(/(?<!\n)\n(?![\n\s*-])/g, ' ')

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

function notes(operation: Operation, inputs: Inputs): string {
  const { method, path, level, response } = operation
  return [
    `Request:   ${method} ${path}`,
    `Requires:  ${credentialOf(operation)}${level > 1 ? `, and level ${level} in the organization` : ''}`,
    `Response:  ${response.description}`,
    '',
    'Example:',
    `  $ ${example(operation, inputs)}`,
  ].join('\n')
}

function credentialOf({ isPublic, needsSession, scope }: Operation): string {
  if (isPublic) return 'no key'
  if (needsSession) return 'a signed-in browser; the server rejects keys'
  return scope ? `a key with the scope ${scope}` : 'any valid key'
}

function example(operation: Operation, inputs: Inputs): string {
  const { area, source } = operation
  const response = exampleIn(operation.response.content?.['application/json'])
  const body = exampleIn(source.requestBody?.content['application/json'])
  const words = [
    'workspace-admin',
    shortNameOf(area),
    verbOf(operation),
    ...inputs.arguments.map(({ name }) => shellQuote(String(sampleId(name, response) ?? name.toUpperCase()))),
  ]
  if (body === undefined) return words.join(' ')
  const flags = inputs.body.flatMap(({ name, schema, flag }) => {
    const value = body[name]
    if (value === undefined) return []
    const isList = Array.isArray(value) && placeholder(schema) === 'list'
    return [flag, shellQuote(isList ? value.join(',') : typeof value === 'string' ? value : JSON.stringify(value))]
  })
  const line = [...words, ...flags].join(' ')
  const isComplete = !Array.isArray(body) && flags.length / 2 === Object.keys(body).length
  if (isComplete && line.length <= MAX_EXAMPLE_LENGTH) return line
  const data = JSON.stringify(body, null, 2).replace(/\n/g, '\n  ')
  return `${words.join(' ')} --data - <<'END'\n  ${data}\nEND`
}

function exampleIn(media: OpenApiMediaType | undefined): Body | undefined {
  const [first] = Object.values(media?.examples ?? {})
  const value = first && resolve(first).value
  return isBody(value) ? value : undefined
}

/** An id from the example response, so the example command looks real. */
function sampleId(name: string, response: Body | undefined): unknown {
  const row: Body | undefined = Array.isArray(response?.results) ? (response.results[0] ?? response) : response
  return name === 'user__uuid' ? Object(row?.user).uuid : row?.[name]
}
