/** Validates input against the contract, and translates the errors of Ajv. */
import { _, Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { type AppError, invalid, notFound } from '../errors.ts'
import type { OpenApiSchema } from './document.ts'
import { dereference, SINGLE_LINE } from './table.ts'

const strict = {
  strict: true,
  allowUnionTypes: true,
  strictRequired: false,
  verbose: true,
  // `npm run contract` has checked the schemas. Compiling the schema of schemas would block the first request for 50 ms.
  meta: false,
  validateSchema: false,
} as const

/** Query and path parameters arrive as strings and are converted. Bodies are not. */
type InputKind = 'text' | 'body'

const ajvs: Partial<Record<InputKind, Ajv>> = {}
const ajvFor = (kind: InputKind): Ajv => {
  ajvs[kind] ??= addKeywords(new Ajv(kind === 'body' ? strict : { ...strict, coerceTypes: 'array', useDefaults: true }))
  return ajvs[kind]
}

/** The validators by the text of their schema, because many operations have the same parameters. */
const compiled = { text: new Map<string, ValidateFunction>(), body: new Map<string, ValidateFunction>() }

function compile(kind: InputKind, schema: OpenApiSchema): ValidateFunction {
  const text = JSON.stringify(schema)
  const validate = compiled[kind].get(text) ?? ajvFor(kind).compile(schema)
  compiled[kind].set(text, validate)
  return validate
}

function addKeywords(ajv: Ajv): Ajv {
  addFormats.default(ajv, ['uuid', 'date-time', 'email', 'uri'])
  ajv.addKeyword({
    keyword: 'x-trim',
    type: 'string',
    modifying: true,
    before: 'maxLength',
    validate: (
      _schema: true,
      data: string,
      _parentSchema: unknown,
      at?: { parentData: object; parentDataProperty: string | number },
    ) => {
      if (at) Reflect.set(at.parentData, at.parentDataProperty, data.trim())
      return true
    },
  })
  ajv.addKeyword({
    keyword: 'x-max-json',
    type: ['object', 'array'],
    schemaType: 'number',
    validate: (max_characters: number, data: object) => JSON.stringify(data).length <= max_characters,
    error: { message: 'is too long', params: ({ schemaCode }) => _`{limit: ${schemaCode}}` },
  })
  // Read by exports/settings.ts and the console. They validate nothing.
  ajv.addKeyword('x-secret-receiver')
  ajv.addKeyword('x-credential')
  ajv.addKeyword('x-unused')
  return ajv
}

export type Validator = (data: unknown) => true | { error: AppError }

/**
 * Validates the `body`, `querystring`, `params` or `headers` of a request. Compiled on first use: a start that compiles
 * all operations takes 30 times as long.
 */
export function validator(schema: OpenApiSchema, part: string, bodyRequired: boolean): Validator {
  if (part === 'params' && takesAnyText(schema)) return () => true
  let validate: ValidateFunction | undefined
  let reduced: OpenApiSchema = {}
  let hasNumbers = false
  return (data) => {
    // Fastify represents an absent body as null. The parser rejects a literal null.
    const absent = part === 'body' && data === null
    if (absent && !bodyRequired) return true
    if (!validate) {
      reduced = reduceHandlerChecked(dereference(schema))
      validate = compile(part === 'body' ? 'body' : 'text', reduced)
      hasNumbers = part !== 'body' && /"(number|integer)"/.test(JSON.stringify(reduced))
    }
    // For an absent body, report the fields that an empty object would lack.
    if (validate(absent ? {} : data)) {
      const infinite = hasNumbers ? infiniteParameter(data) : undefined
      if (infinite !== undefined) return { error: part === 'params' ? notFound() : tooLarge(infinite) }
      return absent ? { error: invalid(null, 'This operation requires a body. Send a JSON body.', 'required') } : true
    }
    return { error: part === 'params' ? notFound() : toAppError(validate.errors ?? [], reduced) }
  }
}

/**
 * Reduces schemas marked `x-checked-by-handler` to their type and, for a union, its discriminator and the types of its
 * properties. Ajv reports the errors of every alternative of a union, and it sees only a string where a list is sent as
 * JSON text.
 */
function reduceHandlerChecked<Node>(node: Node): Node
function reduceHandlerChecked(node: unknown): unknown {
  if (Array.isArray(node)) return node.map((child) => reduceHandlerChecked(child))
  if (typeof node !== 'object' || node === null) return node
  const { type, anyOf = [], 'x-checked-by-handler': checkedByHandler }: OpenApiSchema = node
  if (!checkedByHandler)
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, reduceHandlerChecked(value)]))
  const tag = anyOf.find(({ discriminator }) => discriminator)?.discriminator?.propertyName
  if (tag === undefined) return { type }
  const members = anyOf
    .flatMap((part) => [part, ...(part.oneOf ?? [])])
    .flatMap(({ properties = {} }) => Object.entries(properties))
  const named = Map.groupBy(members, ([name]) => name)
  const properties = [...named].map(([name, found]) => {
    const types = new Set(found.flatMap(([, member]) => member.type ?? []))
    const tags = new Set(found.flatMap(([, member]) => member.const ?? member.enum ?? []))
    return [name, { type: [...types], ...(name === tag && { enum: [...tags] }) }]
  })
  return { type, required: [tag], properties: Object.fromEntries(properties) }
}

/** Path parameters are strings already. Without an Ajv for them, the first response comes 10 % earlier after a start. */
const takesAnyText = ({ properties = {} }: OpenApiSchema): boolean =>
  Object.values(properties).every((schema) => JSON.stringify(schema) === '{"type":"string"}')

/** The parameter that was converted to an infinite number. Ajv does not apply `maximum` to infinite numbers. */
const infiniteParameter = (data: unknown): string | undefined =>
  Object.entries(data ?? {}).find(
    ([, value]) => value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY,
  )?.[0]

const tooLarge = (attr: string): AppError => invalid(attr, `"${attr}" is too large. Send a smaller number.`)

/** Translates the first relevant error of Ajv. */
function toAppError(errors: ErrorObject[], schema: OpenApiSchema): AppError {
  const error = relevantError(errors)
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((key) => key.replace(/~1/g, '/').replace(/~0/g, '~'))
  const attrOf = (...names: string[]): string | null => [...path, ...names].join('__') || null
  const attr = attrOf()
  const field = attr === null ? 'The body' : `"${path.join('.')}"`
  const { keyword, params, data, parentSchema } = error
  // The errors of the alternatives of one value, for example an enum or null, a string or a list.
  const siblings = errors.filter(({ instancePath }) => instancePath === error.instancePath)
  const types = [
    ...new Set(siblings.flatMap(({ keyword, params }) => (keyword === 'type' ? [params.type].flat() : []))),
  ]
  const nullError = (): AppError =>
    isRequired(schema, path)
      ? invalid(attr, `${field} must be ${describeTypes(types)}${exampleOf(parentSchema?.examples)}, not null.`, 'null')
      : invalid(attr, `${field} cannot be null. Omit it or send a value.`, 'null')

  switch (keyword) {
    case 'required':
      return invalid(
        attrOf(params.missingProperty),
        `"${[...path, params.missingProperty].join('.')}" is required. Send it.`,
        'required',
      )
    case 'additionalProperties':
      return invalid(
        attrOf(params.additionalProperty),
        `"${params.additionalProperty}" is not a known setting. Remove it.`,
      )
    case 'type':
      if (data === null) return nullError()
      if (params.type === 'array') return invalid(attr, `${field} must be a list.`, 'not_a_list')
      return invalid(attr, `${field} must be ${describeTypes(types)}.`)
    case 'enum':
    case 'const': {
      if (data === null) return nullError()
      const allowed = siblings.flatMap(({ params }) => params.allowedValues ?? params.allowedValue ?? [])
      const choices = [...allowed, ...(types.includes('null') ? [null] : [])].map((choice) => JSON.stringify(choice))
      const oneOf = choices.length > 2 ? `one of ${choices.join(', ')}` : choices.join(' or ')
      return invalid(attr, `${field} must be ${oneOf}.`, 'invalid_choice')
    }
    case 'minLength':
      return invalid(attr, `${field} cannot be blank.`, 'blank')
    case 'maxLength':
      return invalid(attr, `${field} must have at most ${params.limit} characters.`, 'max_length')
    case 'x-max-json':
      return invalid(attr, `${field} must have at most ${params.limit} characters as JSON.`, 'max_length')
    case 'minItems':
      return invalid(attr, `${field} must have at least ${params.limit} entries.`, 'empty')
    case 'maxItems':
      if (params.limit === 0) return invalid(attr, `${field} must be an empty list.`, 'max_length')
      return invalid(attr, `${field} must have at most ${params.limit} entries.`, 'max_length')
    case 'minimum':
      return invalid(attr, `${field} must be at least ${params.limit}.`)
    case 'maximum':
      return invalid(attr, `${field} must be at most ${params.limit}.`)
    case 'format':
      return invalid(attr, `${field} is not a valid ${FORMATS[params.format] ?? params.format}.`)
    case 'pattern':
      return invalid(attr, `${field} ${describePattern(params.pattern, parentSchema?.examples)}`)
    default:
      return invalid(attr, `${field} is invalid: it ${error.message}.`)
  }
}

/** For a union, Ajv reports the errors of every alternative. The relevant one is of the alternative with the right type. */
function relevantError(errors: ErrorObject[]): ErrorObject {
  const [first] = errors
  if (!first) throw new Error('Ajv rejected the input without an error.')
  const unions = errors.filter(({ keyword }) => keyword === 'oneOf' || keyword === 'anyOf')
  if (unions.length === 0) return first
  const hasOtherType = (error: ErrorObject): boolean =>
    error.keyword === 'type' && unions.some(({ instancePath }) => instancePath === error.instancePath)
  return errors.find((error) => !unions.includes(error) && !hasOtherType(error)) ?? first
}

const FORMATS: Record<string, string> = {
  email: 'email address',
  uuid: 'UUID',
  'date-time': 'ISO 8601 time',
  uri: 'URL',
}

/** Whether the property at a path is required. */
function isRequired(schema: OpenApiSchema, path: readonly string[]): boolean {
  const withParts = (one: OpenApiSchema): OpenApiSchema[] => [
    one,
    ...[one.allOf, one.anyOf, one.oneOf].flatMap((parts) => parts ?? []).flatMap(withParts),
  ]
  let required = false
  let schemas = [schema]
  for (const key of path) {
    const parts = schemas.flatMap(withParts)
    required = parts.some((part) => part.required?.includes(key))
    schemas = parts.flatMap((part) => part.properties?.[key] ?? part.items ?? [])
  }
  return required
}

/** A pattern is for programs. People get a sentence, with an example of the contract. */
function describePattern(pattern: string, examples?: unknown[]): string {
  if (pattern === SINGLE_LINE) return 'cannot contain line breaks or control characters. Remove them.'
  if (pattern === '^https?://') return 'must start with https:// or http://.'
  return `does not have the right form. Send a value${exampleOf(examples)}.`
}

const exampleOf = ([example]: unknown[] = []): string =>
  example === undefined ? '' : ` such as ${JSON.stringify(example)}`

const describeTypes = (types: readonly string[]): string =>
  types.map((type) => (type === 'null' ? 'null' : `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`)).join(' or ')
