/** The commands of one area of the contract, derived from it: the contract's words are the command's. */
import { readFileSync } from 'node:fs'
import { text as everything } from 'node:stream/consumers'
import { Argument, Command, Option } from 'commander'
import type { Variables } from '../config.ts'
import { contract, type Operation, operations, resolve } from '../contract/table.ts'
import { type ConnectionOptions, connection, request, unreachable } from './client.ts'
import { EXIT, EXIT_CODES, EXIT_CODES_BRIEFLY, failure, usage } from './failure.ts'
import { HINTS } from './hints.ts'
import { fields, table } from './print.ts'
import { quoted } from './quote.ts'

type Json = Record<string, any>

/** Ids with a sensible default are flags; every other id of a path is an argument. */
const CURRENT_IDS = ['organization_id', 'project_id']
/** Flags that every command has. */
const OURS = ['base-url', 'key', 'data', 'json', 'help']
const LONGEST_EXAMPLE = 160

export const areas: { name: string; description: string }[] = contract.tags

/** A browser's preflight is nothing to ask for by hand. */
const callable = operations.filter(({ method }) => method !== 'OPTIONS')

/** `beside` are the area's commands that work on the database. */
export function area(name: string, beside: Command[], variables: Variables): Command {
  const command = new Command(name).description(areas.find((one) => one.name === name)!.description)
  for (const one of beside) command.addCommand(one.helpGroup("On this machine's database:"))
  for (const operation of callable.filter((one) => one.area === name))
    command.addCommand(operationCommand(operation, variables).helpGroup('Over HTTP:'))
  const [first] = command.commands.filter((one) => !beside.includes(one))
  return command.addHelpText(
    'after',
    `\nMore about one of them, with an example:\n  $ workspace-admin ${name} ${first!.name()} --help\n${EXIT_CODES}`,
  )
}

function operationCommand(operation: Operation, variables: Variables): Command {
  const { source } = operation
  const inputs = inputsOf(operation)
  const command = new Command(operation.id.split('.')[1]!)
    .summary(lower(source.summary))
    .description(`${source.description ?? source.summary}`.trim())
  for (const { name, description } of inputs.arguments) command.addArgument(new Argument(`<${name}>`, description))

  command.optionsGroup('Where:')
  for (const { name, description } of inputs.current)
    command.addOption(new Option(`--${kebab(name)} <id>`, description).default('@current'))
  command.optionsGroup('Query:')
  for (const { option } of inputs.query) command.addOption(option)
  command.optionsGroup('Body:')
  for (const { option } of inputs.body) command.addOption(option)
  if (source.requestBody)
    command.option('--data <json>', 'the whole body: JSON, @file, or - for standard input; flags come on top of it')
  command
    .optionsGroup('Connection:')
    .option('--base-url <url>', 'the server (else WORKSPACE_URL, else http://127.0.0.1:8000)')
    .option(
      '--key <key>',
      operation.isPublic
        ? 'a personal API key, or whatever the operation takes as a bearer; none is needed'
        : 'a personal API key (else WORKSPACE_KEY, which no process list shows)',
    )
    .optionsGroup('Output:')
    .option('--json', "print the server's answer as it is; an error too, on standard error")
    .addHelpText('after', () => `\n${notes(operation, inputs)}\n\n${EXIT_CODES_BRIEFLY}`)
    .action(async () => {
      const options: Json = command.opts()
      demandKey(inputs, options)
      const path = pathOf(operation, inputs, command.args, options) + queryOf(inputs, options)
      const body = await bodyOf(operation, inputs, options)
      await call(operation, inputs, { path, body }, variables, options)
    })
  return command
}

interface Input {
  name: string
  schema: Json
  option: Option
}

interface Inputs {
  arguments: { name: string; description: string }[]
  current: { name: string; description: string }[]
  query: Input[]
  body: Input[]
}

function inputsOf({ path, source }: Operation): Inputs {
  const inPath: Json[] = (contract.paths[path]?.parameters ?? []).map(resolve)
  const taken = new Set(OURS)
  const inputsIn = (place: string, found: { name: string; schema: Json; description?: string; required: boolean }[]) =>
    found.flatMap(({ name, schema, description, required }): Input[] => {
      const plain = kebab(name)
      if (!plain) return []
      const isTaken = taken.has(plain)
      const flag = isTaken ? `${place}-${plain}` : plain
      taken.add(flag)
      const words = [
        description ?? schema.description,
        isTaken && `Sent as "${name}"; --${plain} is another flag.`,
        remark(schema, required),
      ]
        .filter(Boolean)
        .join(' ')
      const option = new Option(`--${flag} <${placeholder(schema)}>`, words.replace(/\s+/g, ' ').trim())
      if (place === 'query' && typesOf(schema).includes('array'))
        option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value])
      return [{ name, schema, option }]
    })
  const query = (source.parameters ?? []).map(resolve).filter((one: Json) => one.in === 'query')
  const body = source.requestBody?.content['application/json']?.schema
  const { properties, required } = body ? shapeOf(body) : { properties: {}, required: [] }
  return {
    arguments: inPath.filter(({ name }) => !CURRENT_IDS.includes(name)) as Inputs['arguments'],
    current: inPath.filter(({ name }) => CURRENT_IDS.includes(name)) as Inputs['current'],
    query: inputsIn(
      'query',
      query.map((one) => ({ ...one, schema: resolve(one.schema), required: one.required === true })),
    ),
    body: inputsIn(
      'body',
      Object.entries(properties).map(([name, schema]) => ({ name, schema, required: required.includes(name) })),
    ),
  }
}

/** The fields of a body, whichever of its alternatives they belong to. */
function shapeOf(node: Json): { properties: Record<string, Json>; required: string[] } {
  const schema = resolve(node)
  const alternatives: Json[] = schema.oneOf ?? schema.anyOf ?? []
  const parts = [...(schema.allOf ?? []), ...alternatives].map(shapeOf)
  const properties: Record<string, Json> = Object.assign({}, ...parts.map((part) => part.properties))
  for (const [name, property] of Object.entries<Json>(schema.properties ?? {})) {
    const described = resolve(property)
    // A field that a part describes and the whole only repeats keeps the words of the part.
    properties[name] = described.description ? described : { ...properties[name], ...described }
  }
  const required = alternatives.length ? [] : parts.flatMap((part) => part.required)
  return { properties, required: [...required, ...(schema.required ?? [])] }
}

const alternativesOf = (schema: Json): Json[] => [schema, ...(schema.oneOf ?? schema.anyOf ?? []).map(resolve)]

const typesOf = (schema: Json): string[] => alternativesOf(schema).flatMap(({ type }) => type ?? [])

const choicesOf = (schema: Json): unknown[] => alternativesOf(schema).flatMap((one) => one.enum ?? [])

const placeholder = (schema: Json): string => {
  const types = typesOf(schema).filter((type) => type !== 'null')
  if (types.includes('string')) return 'text'
  if (types.includes('array')) return types.length === 1 && scalarItems(schema) ? 'list' : 'json'
  return { boolean: 'true|false', integer: 'number', number: 'number' }[types[0] ?? ''] ?? 'json'
}

const scalarItems = (schema: Json): boolean =>
  typesOf(resolve(schema.items ?? {})).every((type) => type === 'string' || type === 'integer') && schema.items

function remark(schema: Json, required: boolean): string {
  const choices = [schema, resolve(schema.items ?? {})].flatMap(choicesOf)
  const parts = [
    required && 'required',
    choices.length > 0 && `one of ${choices.map((choice) => (choice === '' ? "''" : String(choice))).join(', ')}`,
    typesOf(schema).includes('null') && 'null for none',
    schema.minimum !== undefined && schema.minimum > 0 && `at least ${schema.minimum}`,
    schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER && `at most ${schema.maximum}`,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
  ].filter(Boolean)
  return parts.length ? `(${parts.join('; ')})` : ''
}

/** `is_2fa_enabled`, `orderBy` and `$set` as flags are written. */
const kebab = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase()

const lower = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1)

/** Where a parameter is called `key` too, its value is easily given as the credential, and would be sent as one. */
function demandKey({ query, body }: Inputs, { key }: ConnectionOptions): void {
  const namesake = [...query, ...body].find(({ name }) => name === 'key')
  if (namesake && key !== undefined && !key.trim().startsWith('phx_'))
    throw usage(
      `--key takes a personal API key, which begins with phx_. For the parameter "key" write ${namesake.option.long}.`,
    )
}

function pathOf({ path }: Operation, inputs: Inputs, args: string[], options: Json): string {
  const values = new Map<string, string>()
  for (const [i, { name }] of inputs.arguments.entries()) values.set(name, args[i]!)
  for (const { name } of inputs.current) values.set(name, options[new Option(`--${kebab(name)}`).attributeName()])
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values.get(name)!
    // A URL resolves dots before it is sent: `domains delete ..` would ask to delete the organization.
    if (/^\.{0,2}$/.test(value)) throw usage(`"${value}" is no ${name}. Send the id itself.`)
    return encodeURIComponent(value)
  })
}

function queryOf({ query }: Inputs, options: Json): string {
  const search = new URLSearchParams()
  for (const { name, option } of query) {
    const given: string | string[] | undefined = options[option.attributeName()]
    for (const value of given === undefined ? [] : [given].flat()) search.append(name, value)
  }
  return search.size ? `?${search}` : ''
}

async function bodyOf(operation: Operation, inputs: Inputs, options: Json): Promise<unknown> {
  const given = inputs.body.filter(({ option }) => options[option.attributeName()] !== undefined)
  const data: unknown =
    operation.source.requestBody && options.data !== undefined ? await dataOf(options.data) : undefined
  // An empty object lets the server name the field that is missing.
  if (given.length === 0) return data ?? (operation.bodyRequired ? {} : undefined)
  if (data !== undefined && (typeof data !== 'object' || data === null || Array.isArray(data)))
    throw usage('--data is no JSON object, so flags cannot be put into it. Use one or the other.')
  const fromFlags = given.map(({ name, schema, option }) => [
    name,
    convert(options[option.attributeName()], schema, option.long!),
  ])
  return { ...(data as object), ...Object.fromEntries(fromFlags) }
}

async function dataOf(given: string): Promise<unknown> {
  const source = given === '-' ? 'Standard input' : given.startsWith('@') ? given.slice(1) : 'The value of --data'
  const content =
    given === '-'
      ? await everything(process.stdin)
      : given.startsWith('@')
        ? readFileSync(given.slice(1), 'utf8')
        : given
  try {
    return JSON.parse(content)
  } catch {
    // The parser's own words would repeat what may be a secret.
    throw usage(`${source} is no JSON. Check its quotes, commas and brackets.`)
  }
}

/** A flag's text as the contract types it. What can be several things is JSON if it reads as JSON, and else text. */
function convert(value: string, schema: Json, flag: string): unknown {
  const types = typesOf(schema)
  if (value === 'null' && types.includes('null')) return null
  if (types.includes('boolean') && /^(true|false)$/.test(value)) return value === 'true'
  const isNumber = value.trim() !== '' && Number.isFinite(Number(value))
  if ((types.includes('integer') || types.includes('number')) && isNumber && !types.includes('string'))
    return Number(value)
  if (types.length === 1 && types[0] === 'array' && !value.trimStart().startsWith('[') && scalarItems(schema))
    return value.split(',').map((one) => convert(one.trim(), resolve(schema.items), flag))
  if (types.includes('string')) return value
  if (types.length === 0 || types.includes('array') || types.includes('object'))
    try {
      return JSON.parse(value)
    } catch {
      throw usage(`${flag} takes JSON. Check its quotes, commas and brackets.`)
    }
  throw usage(`${flag} takes ${placeholder(schema) === 'number' ? 'a number' : 'true or false'}.`)
}

async function call(
  operation: Operation,
  inputs: Inputs,
  { path, body }: { path: string; body: unknown },
  variables: Variables,
  options: ConnectionOptions,
): Promise<void> {
  const server = connection(variables, options)
  if (!operation.isPublic && !server.key)
    throw failure(
      EXIT.not_authenticated,
      'There is no key to send. Set WORKSPACE_KEY or add --key; `workspace-admin keys create` makes one.',
    )
  // What needs no key gets one only when it is asked for: a wrong one would be refused.
  if (operation.isPublic && options.key === undefined) server.key = undefined
  const response = await request(server, { method: operation.method, path, body }, options.json === true)
  const lost = (error: unknown): never => {
    throw unreachable(server.url, error)
  }
  const isJson = /^application\/json\b/.test(response.headers.get('content-type') ?? '')
  if (response.status === 204) return options.json ? undefined : console.log('Done.')
  if (options.json || !isJson) return copy(response).catch(lost)
  const answer: any = await response.json().catch(lost)
  console.log(readable(answer, inputs))
  const hint = HINTS[operation.id]?.(answer)
  if (hint) console.log(`\n${hint}`)
}

/** Byte by byte, however long it is, and with a line's end for the terminal. */
async function copy(response: Response): Promise<void> {
  let last = 10
  for await (const chunk of response.body ?? []) {
    last = chunk.at(-1) ?? last
    if (!process.stdout.write(chunk)) await new Promise((resume) => process.stdout.once('drain', resume))
  }
  if (last !== 10) process.stdout.write('\n')
}

function readable(answer: any, inputs: Inputs): string {
  if (Array.isArray(answer)) return table(answer)
  if (!Array.isArray(answer.results)) return fields(answer)
  const rows: Json[] = answer.columns
    ? answer.results.map((row: unknown[]) =>
        Object.fromEntries(answer.columns.map((name: string, i: number) => [name, row[i]])),
      )
    : answer.results
  const count = typeof answer.count === 'number' && rows.length ? [`${rows.length} of ${answer.count}.`] : []
  return [table(rows), ...count, ...more(answer.next, inputs)].join('\n')
}

/** How to ask for the next page in the command's own words. */
function more(next: unknown, { query }: Inputs): string[] {
  if (typeof next !== 'string') return []
  const search = new URL(next, 'http://localhost').searchParams
  const flags = query.flatMap(({ name, option }) =>
    ['offset', 'cursor', 'before'].includes(name) && search.has(name)
      ? [`${option.long} ${quoted(search.get(name)!)}`]
      : [],
  )
  return flags.length ? [`There are more: add ${flags.join(' ')}`] : ['There are more.']
}

function notes(operation: Operation, inputs: Inputs): string {
  const { method, path, scope, isPublic, level, response, source } = operation
  const needs = isPublic ? 'no key' : scope ? `a key with the scope ${scope}` : 'any valid key'
  return [
    `Request:  ${method} ${path}`,
    `Needs:    ${needs}${level > 1 ? `, and level ${level} in the organization` : ''}`,
    `Answer:   ${response.description}`,
    ...(source.deprecated ? ['This operation is deprecated.'] : []),
    '',
    'Example:',
    `  $ ${example(operation, inputs)}`,
  ].join('\n')
}

function example({ area, id, source, response }: Operation, inputs: Inputs): string {
  const answer = exampleIn(response.content?.['application/json'])
  const sent = exampleIn(source.requestBody?.content['application/json'])
  const words = [
    'workspace-admin',
    area,
    id.split('.')[1]!,
    ...inputs.arguments.map(({ name }) => quoted(String(sampleId(name, answer) ?? name.toUpperCase()))),
  ]
  if (sent === undefined) return words.join(' ')
  const flags = inputs.body.flatMap(({ name, schema, option }) => {
    const value = sent?.[name]
    if (value === undefined) return []
    const list = Array.isArray(value) && placeholder(schema) === 'list'
    return [option.long!, quoted(list ? value.join(',') : typeof value === 'string' ? value : JSON.stringify(value))]
  })
  const line = [...words, ...flags].join(' ')
  const covered = !Array.isArray(sent) && flags.length / 2 === Object.keys(sent).length
  if (covered && line.length <= LONGEST_EXAMPLE) return line
  const body = JSON.stringify(sent, null, 2).replace(/\n/g, '\n  ')
  return `${words.join(' ')} --data - <<'END'\n  ${body}\nEND`
}

const exampleIn = (media: Json | undefined): any => {
  const [first] = Object.values<Json>(media?.examples ?? {})
  return first && resolve(first).value
}

/** An id from the answer's own example, so that the line looks like a real one. */
function sampleId(name: string, answer: Json | undefined): unknown {
  const one = answer?.results?.[0] ?? answer
  if (name === 'user__uuid') return one?.user?.uuid
  return name === 'id' ? one?.id : one?.[name]
}
