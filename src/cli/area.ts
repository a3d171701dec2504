/** Derives the commands of an area from the contract: names, help and types all come from it. */
import { readFileSync } from 'node:fs'
import { text as readText } from 'node:stream/consumers'
import { Argument, Command, Option } from 'commander'
import type { Variables } from '../config.ts'
import type { OpenApiMediaType, OpenApiParameter, OpenApiSchema } from '../contract/document.ts'
import { contract, type Operation, operations, resolve } from '../contract/table.ts'
import { type ConnectionOptions, readConnection, request, unreachable } from './client.ts'
import { commandError, EXIT, EXIT_CODES, EXIT_CODES_SUMMARY, usageError } from './failure.ts'
import { HINTS } from './hints.ts'
import { fields, table } from './print.ts'
import { shellQuote } from './quote.ts'

type Body = Record<string, unknown>

/** Path ids that default to `@current` are flags; every other path id is an argument. */
const CURRENT_IDS = ['organization_id', 'project_id']
/** Flags of every command. */
const COMMON_FLAGS = ['base-url', 'key', 'data', 'json', 'help']
const MAX_EXAMPLE_LENGTH = 160

export const areas: { name: string; description: string }[] = contract.tags

/** Browsers send OPTIONS; people do not. */
const callable = operations.filter(({ method }) => method !== 'OPTIONS')

export const verbOf = ({ id, area }: Operation): string => id.slice(area.length + 1)

/** `localCommands` are the commands of the area that work on the database. */
export function areaCommand(name: string, localCommands: Command[], variables: Variables): Command {
  const inArea = callable.filter((operation) => operation.area === name)
  const command = new Command(name).description(areas.find((area) => area.name === name)?.description ?? '')
  for (const local of localCommands) command.addCommand(local.helpGroup("On this machine's database:"))
  for (const operation of inArea) command.addCommand(operationCommand(operation, variables).helpGroup('Over HTTP:'))
  const [example] = inArea.map(verbOf)
  return command.addHelpText(
    'after',
    `\nHelp and an example for one of them:\n  $ workspace-admin ${name} ${example} --help\n${EXIT_CODES}`,
  )
}

type Flags = ConnectionOptions & Record<string, unknown>

function operationCommand(operation: Operation, variables: Variables): Command {
  const { source } = operation
  const inputs = inputsOf(operation)
  const command = new Command(verbOf(operation))
    .summary(lowerFirst(source.summary))
    .description(`${source.description ?? source.summary}`.trim())
  for (const { name, description } of inputs.arguments) command.addArgument(new Argument(`<${name}>`, description))

  command.optionsGroup('Path:')
  for (const { option } of inputs.current) command.addOption(option)
  command.optionsGroup('Query:')
  for (const { option } of inputs.query) command.addOption(option)
  command.optionsGroup('Body:')
  for (const { option } of inputs.body) command.addOption(option)
  if (source.requestBody)
    command.option('--data <json>', 'the request body: JSON, @file, or - for standard input; other flags override it')
  command
    .optionsGroup('Connection:')
    .option('--base-url <url>', 'the server (default: WORKSPACE_URL, then http://127.0.0.1:8000)')
    .option(
      '--key <key>',
      operation.isPublic
        ? 'an optional personal API key, or another bearer token that the operation accepts'
        : 'a personal API key (default: WORKSPACE_KEY, which is not visible in the process list)',
    )
    .optionsGroup('Output:')
    .option('--json', 'print the response body unchanged; errors too, on standard error')
    .addHelpText('after', () => `\n${notes(operation, inputs)}\n\n${EXIT_CODES_SUMMARY}`)
    .action(async () => {
      const flags: Flags = command.opts()
      requireCredential(inputs, flags)
      const path = pathOf(operation, inputs, command.args, flags) + queryOf(inputs, flags)
      const body = await bodyOf(operation, inputs, flags)
      await call(operation, inputs, { path, body }, variables, flags)
    })
  return command
}

interface Input {
  name: string
  schema: OpenApiSchema
  flag: string
  option: Option
}

interface Inputs {
  arguments: OpenApiParameter[]
  current: Omit<Input, 'schema'>[]
  query: Input[]
  body: Input[]
}

const flagValue = ({ option }: { option: Option }, flags: Flags): unknown => flags[option.attributeName()]

function inputsOf({ path, source }: Operation): Inputs {
  const inPath: OpenApiParameter[] = (contract.paths[path]?.parameters ?? []).map((parameter) => resolve(parameter))
  const taken = new Set(COMMON_FLAGS)
  const inputsIn = (
    place: 'query' | 'body',
    found: { name: string; schema: OpenApiSchema; description?: string; required: boolean }[],
  ) =>
    found.flatMap(({ name, schema, description, required }): Input[] => {
      const plain = toKebabCase(name)
      if (!plain) return []
      const isTaken = taken.has(plain)
      const flag = `--${isTaken ? `${place}-${plain}` : plain}`
      taken.add(flag.slice(2))
      const help = [
        description ?? schema.description,
        isTaken && `Sent as "${name}"; --${plain} is another flag.`,
        constraintsOf(schema, required),
      ]
        .filter(Boolean)
        .join(' ')
      const option = new Option(`${flag} <${placeholder(schema)}>`, help.replace(/\s+/g, ' ').trim())
      if (place === 'query' && typesOf(schema).includes('array'))
        option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value])
      return [{ name, schema, flag, option }]
    })
  const parameters: OpenApiParameter[] = (source.parameters ?? []).map((parameter) => resolve(parameter))
  const body = source.requestBody?.content['application/json']?.schema
  const { properties, required } = body ? fieldsOf(body) : { properties: {}, required: [] }
  return {
    arguments: inPath.filter(({ name }) => !CURRENT_IDS.includes(name)),
    current: inPath
      .filter(({ name }) => CURRENT_IDS.includes(name))
      .map(({ name, description }) => {
        const flag = `--${toKebabCase(name)}`
        return { name, flag, option: new Option(`${flag} <id>`, description).default('@current') }
      }),
    query: inputsIn(
      'query',
      parameters
        .filter((parameter) => parameter.in === 'query')
        .map((parameter) => ({
          ...parameter,
          schema: resolve(parameter.schema),
          required: parameter.required === true,
        })),
    ),
    body: inputsIn(
      'body',
      Object.entries(properties).map(([name, schema]) => ({ name, schema, required: required.includes(name) })),
    ),
  }
}

/** The fields of a body, from all of its alternatives. */
function fieldsOf(node: OpenApiSchema): { properties: Record<string, OpenApiSchema>; required: string[] } {
  const schema: OpenApiSchema = resolve(node)
  const alternatives = schema.oneOf ?? schema.anyOf ?? []
  const parts = [...(schema.allOf ?? []), ...alternatives].map(fieldsOf)
  const properties: Record<string, OpenApiSchema> = Object.assign({}, ...parts.map((part) => part.properties))
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const described: OpenApiSchema = resolve(property)
    // A field that is repeated without a description keeps the description of the part.
    properties[name] = described.description ? described : { ...properties[name], ...described }
  }
  const required = alternatives.length ? [] : parts.flatMap((part) => part.required)
  return { properties, required: [...required, ...(schema.required ?? [])] }
}

const alternativesOf = (schema: OpenApiSchema): OpenApiSchema[] => [
  schema,
  ...(schema.oneOf ?? schema.anyOf ?? []).map(resolve),
]

const typesOf = (schema: OpenApiSchema): string[] => alternativesOf(schema).flatMap(({ type }) => type ?? [])

const choicesOf = (schema: OpenApiSchema): unknown[] => alternativesOf(schema).flatMap((one) => one.enum ?? [])

const placeholder = (schema: OpenApiSchema): string => {
  const types = typesOf(schema).filter((type) => type !== 'null')
  if (types.includes('string')) return 'text'
  if (types.includes('array')) return types.length === 1 && hasScalarItems(schema) ? 'list' : 'json'
  return { boolean: 'true|false', integer: 'number', number: 'number' }[types[0] ?? ''] ?? 'json'
}

const hasScalarItems = ({ items }: OpenApiSchema): boolean =>
  items !== undefined && typesOf(resolve(items)).every((type) => type === 'string' || type === 'integer')

function constraintsOf(schema: OpenApiSchema, required: boolean): string {
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

/** `is_2fa_enabled`, `orderBy` and `$set` become flags. */
const toKebabCase = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase()

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/** Where a parameter is also named `key`, rejects its value in --key, which would be sent as a credential. */
function requireCredential({ query, body }: Inputs, { key }: ConnectionOptions): void {
  const namesake = [...query, ...body].find(({ name }) => name === 'key')
  if (namesake && key !== undefined && !key.trim().startsWith('phx_'))
    throw usageError(
      `--key takes a personal API key, which starts with phx_. Use ${namesake.flag} for the parameter "key".`,
    )
}

function pathOf({ path }: Operation, inputs: Inputs, args: string[], flags: Flags): string {
  const values = new Map<string, unknown>()
  for (const [i, { name }] of inputs.arguments.entries()) values.set(name, args[i])
  for (const input of inputs.current) values.set(input.name, flagValue(input, flags))
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(values.get(name) ?? '')
    // URL parsing resolves dot segments: `domains delete ..` would delete the organization.
    if (/^\.{0,2}$/.test(value)) throw usageError(`"${value}" is not a valid ${name}.`)
    return encodeURIComponent(value)
  })
}

function queryOf({ query }: Inputs, flags: Flags): string {
  const search = new URLSearchParams()
  for (const input of query) {
    const value = flagValue(input, flags)
    for (const one of value === undefined ? [] : [value].flat()) search.append(input.name, String(one))
  }
  return search.size ? `?${search}` : ''
}

async function bodyOf(operation: Operation, inputs: Inputs, flags: Flags): Promise<unknown> {
  const used = inputs.body.filter((input) => flagValue(input, flags) !== undefined)
  const data = operation.source.requestBody && typeof flags.data === 'string' ? await readData(flags.data) : undefined
  // With an empty object, the server names the missing field.
  if (used.length === 0) return data ?? (operation.bodyRequired ? {} : undefined)
  if (data !== undefined && (typeof data !== 'object' || data === null || Array.isArray(data)))
    throw usageError('--data is not a JSON object, so it cannot be combined with other flags. Use one or the other.')
  const fromFlags = used.map((input) => [
    input.name,
    convert(String(flagValue(input, flags)), input.schema, input.flag),
  ])
  return { ...data, ...Object.fromEntries(fromFlags) }
}

async function readData(data: string): Promise<unknown> {
  const file = data.startsWith('@') ? data.slice(1) : undefined
  const text = data === '-' ? await readText(process.stdin) : file === undefined ? data : readFileSync(file, 'utf8')
  try {
    return JSON.parse(text)
  } catch {
    // The parser's message would quote the text, which may contain a secret.
    const source = data === '-' ? 'Standard input' : (file ?? 'The value of --data')
    throw usageError(`${source} is not valid JSON. Check its quotes, commas and brackets.`)
  }
}

/** Converts the text of a flag to the type in the contract. */
function convert(value: string, schema: OpenApiSchema, flag: string): unknown {
  const types = typesOf(schema)
  if (value === 'null' && types.includes('null')) return null
  if (types.includes('boolean') && /^(true|false)$/.test(value)) return value === 'true'
  const isNumber = value.trim() !== '' && Number.isFinite(Number(value))
  if ((types.includes('integer') || types.includes('number')) && isNumber && !types.includes('string'))
    return Number(value)
  if (types.length === 1 && types[0] === 'array' && !value.trimStart().startsWith('[') && hasScalarItems(schema))
    return value.split(',').map((item) => convert(item.trim(), resolve(schema.items ?? {}), flag))
  if (types.includes('string')) return value
  if (types.length === 0 || types.includes('array') || types.includes('object'))
    try {
      return JSON.parse(value)
    } catch {
      throw usageError(`${flag} takes JSON. Check its quotes, commas and brackets.`)
    }
  throw usageError(`${flag} takes ${placeholder(schema) === 'number' ? 'a number' : 'true or false'}.`)
}

async function call(
  operation: Operation,
  inputs: Inputs,
  { path, body }: { path: string; body: unknown },
  variables: Variables,
  options: ConnectionOptions,
): Promise<void> {
  const server = readConnection(variables, options)
  if (!operation.isPublic && !server.key)
    throw commandError(
      EXIT.not_authenticated,
      'No API key is set. Set WORKSPACE_KEY or add --key; `workspace-admin keys create` creates a key.',
    )
  // A public operation would reject an invalid WORKSPACE_KEY, so it only sends --key.
  if (operation.isPublic && options.key === undefined) server.key = undefined
  const response = await request(server, { method: operation.method, path, body }, options.json === true)
  const onReadError = (error: unknown): never => {
    throw unreachable(server.url, error)
  }
  const isJson = /^application\/json\b/.test(response.headers.get('content-type') ?? '')
  if (response.status === 204) return options.json ? undefined : console.log('Done.')
  if (options.json || !isJson) return printRaw(response).catch(onReadError)
  const content: Body | Body[] = JSON.parse(await response.text().catch(onReadError))
  if (Array.isArray(content)) return console.log(table(content))
  console.log(format(content, inputs))
  const hint = HINTS[operation.id]?.(content)
  if (hint) console.log(`\n${hint}`)
}

/** Streams the response body to standard output and ends it with a line break. */
async function printRaw(response: Response): Promise<void> {
  const NEWLINE = 10
  let last = NEWLINE
  for await (const chunk of response.body ?? []) {
    last = chunk.at(-1) ?? last
    if (!process.stdout.write(chunk)) await new Promise((resume) => process.stdout.once('drain', resume))
  }
  if (last !== NEWLINE) process.stdout.write('\n')
}

function format(body: Body, inputs: Inputs): string {
  const { results, columns, count, next } = body
  if (!Array.isArray(results)) return fields(body)
  const rows: Body[] = Array.isArray(columns)
    ? results.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]])))
    : results
  const total = typeof count === 'number' && rows.length ? [`${rows.length} of ${count}.`] : []
  return [table(rows), ...total, ...nextPageHint(next, inputs)].join('\n')
}

/** The flags that select the next page. */
function nextPageHint(next: unknown, { query }: Inputs): string[] {
  if (typeof next !== 'string') return []
  const search = new URL(next, 'http://localhost').searchParams
  const flags = query.flatMap(({ name, flag }) => {
    const value = ['offset', 'cursor', 'before'].includes(name) ? search.get(name) : null
    return value === null ? [] : [`${flag} ${shellQuote(value)}`]
  })
  return flags.length ? [`More results: add ${flags.join(' ')}`] : ['There are more results.']
}

function notes(operation: Operation, inputs: Inputs): string {
  const { method, path, scope, isPublic, level, response, source } = operation
  const key = isPublic ? 'no key' : scope ? `a key with the scope ${scope}` : 'any valid key'
  return [
    `Request:   ${method} ${path}`,
    `Requires:  ${key}${level > 1 ? `, and level ${level} in the organization` : ''}`,
    `Response:  ${response.description}`,
    ...(source.deprecated ? ['This operation is deprecated.'] : []),
    '',
    'Example:',
    `  $ ${example(operation, inputs)}`,
  ].join('\n')
}

function example(operation: Operation, inputs: Inputs): string {
  const { area, source } = operation
  const response = exampleIn(operation.response.content?.['application/json'])
  const body = exampleIn(source.requestBody?.content['application/json'])
  const words = [
    'workspace-admin',
    area,
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

const isBody = (value: unknown): value is Body => typeof value === 'object' && value !== null

/** An id from the example response, so the example command looks real. */
function sampleId(name: string, response: Body | undefined): unknown {
  const row: Body | undefined = Array.isArray(response?.results) ? (response.results[0] ?? response) : response
  return name === 'user__uuid' ? Object(row?.user).uuid : row?.[name]
}
