/** The arguments and flags of an operation, derived from the contract, and the request that they describe. */

import { existsSync, readFileSync } from 'node:fs'
import { text as readText } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import type { OpenApiParameter, OpenApiSchema } from '../contract/document.ts'
import type { OperationId } from '../contract/operations.ts'
import { contract, type Operation, operations, resolve } from '../contract/table.ts'
import { parseJson } from '../json/parse.ts'
import { isBody } from './client.ts'
import { LEVELS } from './columns.ts'
import { usageError } from './failure.ts'

/** Flags of every command. */
const COMMON_FLAGS = ['base-url', 'key', 'profile', 'data', 'json', 'output', 'fields', 'all', 'yes', 'help']

/** Path ids that have a default are flags; every other path id is an argument. */
export type Scope = 'organization' | 'project'
const SCOPE_OF_PARAMETER: Record<string, Scope> = { organization_id: 'organization', project_id: 'project' }
/** Fields of bodies that select an organization or project, with the same flags and defaults. */
const SCOPE_OF_FIELD: Partial<Record<OperationId, { name: string; scope: Scope }>> = {
  'projects.create': { name: 'organization', scope: 'organization' },
  'batch_exports.create': { name: 'team_id', scope: 'project' },
}

export function operationNamed(id: OperationId): Operation {
  const found = operations.find((operation) => operation.id === id)
  if (!found) throw new Error(`The contract has no operation ${id}.`)
  return found
}

export interface Input {
  name: string
  schema: OpenApiSchema
  flag: string
  option: Option
}

export interface Inputs {
  arguments: OpenApiParameter[]
  /** The scopes of the path, by parameter. */
  scopes: { name: string; scope: Scope }[]
  /** The field of the body that is a scope. */
  scopeField: { name: string; scope: Scope } | undefined
  query: Input[]
  body: Input[]
}

export type Flags = Record<string, unknown>

export const flagValue = ({ option }: { option: Option }, flags: Flags): unknown => flags[option.attributeName()]

/** The values that a flag accepts, for shell completion. */
export const FLAG_CHOICES = new WeakMap<Option, string[]>()

/** The operation that the arguments of a command belong to, for shell completion. */
export const COMMAND_OPERATIONS = new WeakMap<Command, Operation>()

export function inputsOf({ id, path, source }: Operation): Inputs {
  const inPath: OpenApiParameter[] = (contract.paths[path]?.parameters ?? []).map((parameter) => resolve(parameter))
  const scopes = inPath.flatMap(({ name }) => {
    const scope = SCOPE_OF_PARAMETER[name]
    return scope ? [{ name, scope }] : []
  })
  const scopeField = SCOPE_OF_FIELD[id]
  const taken = new Set([...COMMON_FLAGS, 'organization', 'project'])
  const inputsIn = (
    place: 'query' | 'body',
    found: { name: string; schema: OpenApiSchema; description?: string; required: boolean }[],
  ) =>
    found.flatMap(({ name, schema, description, required }): Input[] => {
      const plain = toKebabCase(name)
      if (!plain || (place === 'body' && name === scopeField?.name)) return []
      const isTaken = taken.has(plain)
      const flag = `--${isTaken ? `${place}-${plain}` : plain}`
      taken.add(flag.slice(2))
      const help = [
        description ?? schema.description,
        isTaken && `Sent as "${name}"; --${plain} is another flag.`,
        constraintsOf(schema, required, name),
      ]
        .filter(Boolean)
        .join(' ')
      const option = new Option(`${flag} <${placeholder(schema)}>`, help.replace(/\s+/g, ' ').trim())
      if (isList(place, schema)) option.argParser(append)
      FLAG_CHOICES.set(option, [
        ...choicesOf(schema).map(String),
        ...(isLevel(name, schema) ? Object.keys(LEVELS) : []),
      ])
      return [{ name, schema, flag, option }]
    })
  const parameters: OpenApiParameter[] = (source.parameters ?? []).map((parameter) => resolve(parameter))
  const body = source.requestBody?.content['application/json']?.schema
  const { properties, required } = body ? fieldsOf(body) : { properties: {}, required: [] }
  return {
    arguments: inPath.filter(({ name }) => !SCOPE_OF_PARAMETER[name]),
    scopes,
    scopeField,
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

const append = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value]

/** Whether the flag can be repeated. */
const isList = (place: 'query' | 'body', schema: OpenApiSchema): boolean =>
  place === 'query' ? typesOf(schema).includes('array') : placeholder(schema) === 'list'

/** The fields of a body, from all of its alternatives. */
export function fieldsOf(node: OpenApiSchema): { properties: Record<string, OpenApiSchema>; required: string[] } {
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

function choicesOf(schema: OpenApiSchema): unknown[] {
  const choices = [schema, resolve(schema.items ?? {})].flatMap((one) =>
    alternativesOf(one).flatMap((each) => each.enum ?? []),
  )
  return typesOf(schema).includes('boolean') ? [...choices, true, false] : choices
}

export const placeholder = (schema: OpenApiSchema): string => {
  const types = typesOf(schema).filter((type) => type !== 'null')
  if (types.includes('string')) return 'text'
  if (types.includes('array')) return types.length === 1 && hasScalarItems(schema) ? 'list' : 'json'
  return { boolean: 'true|false', integer: 'number', number: 'number' }[types[0] ?? ''] ?? 'json'
}

const hasScalarItems = ({ items }: OpenApiSchema): boolean =>
  items !== undefined && typesOf(resolve(items)).every((type) => type === 'string' || type === 'integer')

const isLevel = (name: string, schema: OpenApiSchema): boolean =>
  name === 'level' && choicesOf(schema).join() === Object.values(LEVELS).join()

function constraintsOf(schema: OpenApiSchema, required: boolean, name: string): string {
  const choices = typesOf(schema).includes('boolean') ? [] : choicesOf(schema)
  const parts = [
    required && 'required',
    choices.length > 0 && `one of ${choices.map((choice) => (choice === '' ? "''" : String(choice))).join(', ')}`,
    isLevel(name, schema) && `or ${Object.keys(LEVELS).join(', ')}`,
    placeholder(schema) === 'list' && 'separate items with commas or repeat the flag',
    typesOf(schema).includes('null') && 'null for none',
    schema.minimum !== undefined && schema.minimum > 0 && `at least ${schema.minimum}`,
    schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER && `at most ${schema.maximum}`,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
  ].filter(Boolean)
  return parts.length ? `(${parts.join('; ')})` : ''
}

/** `is_2fa_enabled`, `orderBy` and `$set` become flags. */
export const toKebabCase = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase()

export function queryOf({ query }: Inputs, flags: Flags): URLSearchParams {
  const search = new URLSearchParams()
  for (const input of query) {
    const value = flagValue(input, flags)
    for (const one of value === undefined ? [] : [value].flat()) search.append(input.name, String(one))
  }
  return search
}

/** The destination test takes the body of `create` too. */
const TESTS: OperationId[] = ['batch_exports.test', 'project_batch_exports.test']

/** `scope` is the value of the body's field that selects an organization or project. */
export async function bodyOf(operation: Operation, inputs: Inputs, flags: Flags, scope: unknown): Promise<unknown> {
  const used = inputs.body.filter((input) => flagValue(input, flags) !== undefined)
  const given = operation.source.requestBody && typeof flags.data === 'string' ? await readData(flags.data) : undefined
  const data = TESTS.includes(operation.id) ? destinationOf(given) : given
  const isObject = isBody(data) && !Array.isArray(data)
  // With an empty object, the server names the missing field.
  if (used.length === 0 && (scope === undefined || (data !== undefined && !isObject)))
    return data ?? (operation.bodyRequired ? {} : undefined)
  if (data !== undefined && !isObject)
    throw usageError('--data is not a JSON object, so it cannot be combined with other flags. Use one or the other.')
  const fromFlags = used.map((input) => [input.name, convertAll(flagValue(input, flags), input)])
  const selected = inputs.scopeField && scope !== undefined ? { [inputs.scopeField.name]: scope } : {}
  // The body of a file wins over a default, a flag wins over both.
  return { ...selected, ...data, ...Object.fromEntries(fromFlags) }
}

const destinationOf = (data: unknown): unknown =>
  isBody(data) && data.type === undefined && isBody(data.destination) ? data.destination : data

/** JSON, a file with it, or `-` for standard input. */
export async function readData(data: string): Promise<unknown> {
  const inline = parseJson(data)
  if (inline !== undefined) return inline
  const file = data.startsWith('@') ? data.slice(1) : data
  const isFile = data !== '-' && (data.startsWith('@') || looksLikeFile(data))
  const text = data === '-' ? await readText(process.stdin) : isFile ? readFileSync(file, 'utf8') : data
  const parsed = parseJson(text)
  if (parsed !== undefined) return parsed
  // The parser's message would quote the text, which may contain a secret.
  const source = data === '-' ? 'Standard input' : isFile ? file : 'The value of --data'
  throw usageError(`${source} is not valid JSON. Check its quotes, commas and brackets.`)
}

const looksLikeFile = (text: string): boolean =>
  text.length < 4096 && !/[{}[\]"\n]/.test(text) && (text.endsWith('.json') || existsSync(text))

/** A repeated list flag has an array of texts. */
function convertAll(value: unknown, { name, schema, flag }: Input): unknown {
  if (!Array.isArray(value)) return convert(String(value), schema, flag, name)
  return value.flatMap((one) => convert(String(one), schema, flag, name))
}

/** Converts the text of a flag to the type in the contract. */
function convert(value: string, schema: OpenApiSchema, flag: string, name = ''): unknown {
  const types = typesOf(schema)
  if (value === 'null' && types.includes('null')) return null
  if (isLevel(name, schema) && LEVELS[value] !== undefined) return LEVELS[value]
  if (types.includes('boolean') && /^(true|false)$/.test(value)) return value === 'true'
  const isNumber = value.trim() !== '' && Number.isFinite(Number(value))
  if ((types.includes('integer') || types.includes('number')) && isNumber && !types.includes('string'))
    return Number(value)
  if (types.length === 1 && types[0] === 'array' && !value.trimStart().startsWith('[') && hasScalarItems(schema))
    return value.split(',').map((item) => convert(item.trim(), resolve(schema.items ?? {}), flag))
  if (types.includes('string')) return value
  if (types.length === 0 || types.includes('array') || types.includes('object')) {
    const parsed = parseJson(value)
    if (parsed === undefined) throw usageError(`${flag} takes JSON. Check its quotes, commas and brackets.`)
    return parsed
  }
  const expected = placeholder(schema) === 'number' ? 'a number' : 'true or false'
  throw usageError(`${flag} takes ${isLevel(name, schema) ? Object.keys(LEVELS).join(', ') : expected}.`)
}
