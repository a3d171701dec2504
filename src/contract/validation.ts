/** Input against the contract: what is wrong, told in the house's codes and words. */
import { _, Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { type AppError, invalid, notFound } from '../errors.ts'
import { dereference, SINGLE_LINE } from './table.ts'

type Json = Record<string, any>

const strict = { strict: true, allowUnionTypes: true, strictRequired: false, verbose: true } as const

/** Query and path values are strings, so they are converted; bodies are taken as they are. */
const makers = {
  text: () => house(new Ajv({ ...strict, coerceTypes: 'array', useDefaults: true })),
  body: () => house(new Ajv(strict)),
}
const made: { text?: Ajv; body?: Ajv } = {}
const ajvFor = (kind: 'text' | 'body'): Ajv => {
  made[kind] ??= makers[kind]()
  return made[kind]
}

/** By their text: many operations take the same path or page, and several servers in a process have one contract. */
const compiled = { text: new Map<string, ValidateFunction>(), body: new Map<string, ValidateFunction>() }

function compile(kind: 'text' | 'body', schema: object): ValidateFunction {
  const text = JSON.stringify(schema)
  const validate = compiled[kind].get(text) ?? ajvFor(kind).compile(schema)
  compiled[kind].set(text, validate)
  return validate
}

function house(ajv: Ajv): Ajv {
  addFormats.default(ajv, ['uuid', 'date-time', 'email', 'uri'])
  ajv.addKeyword({
    keyword: 'x-trim',
    type: 'string',
    modifying: true,
    before: 'maxLength',
    validate: (__: true, data: string, ___: unknown, at?: { parentData: any; parentDataProperty: string | number }) => {
      if (at) at.parentData[at.parentDataProperty] = data.trim()
      return true
    },
  })
  ajv.addKeyword({
    keyword: 'x-max-json',
    type: ['object', 'array'],
    schemaType: 'number',
    validate: (most: number, data: object) => JSON.stringify(data).length <= most,
    error: { message: 'is too long', params: ({ schema }) => _`{limit: ${schema as number}}` },
  })
  // Read by exports/settings.ts; it validates nothing.
  ajv.addKeyword('x-secret-receiver')
  return ajv
}

export type HttpPart = 'body' | 'querystring' | 'params' | 'headers'

/** Checks one part of a request. Compiled on first use: a start that compiles every operation takes 30 times as long. */
export function validator(
  schema: object,
  part: HttpPart,
  bodyRequired: boolean,
): (data: unknown) => true | { error: AppError } {
  if (part === 'params' && takesAnyText(schema)) return () => true
  let validate: ValidateFunction | undefined
  let known: Json = {}
  let numbers = false
  return (data) => {
    // Fastify hands an absent body over as null; the parser has refused a literal one.
    const absent = part === 'body' && data === null
    if (absent && !bodyRequired) return true
    if (!validate) {
      known = outlined(dereference(schema))
      validate = compile(part === 'body' ? 'body' : 'text', known)
      numbers = part !== 'body' && /"(number|integer)"/.test(JSON.stringify(known))
    }
    // An absent body misses what an empty one misses.
    if (validate(absent ? {} : data)) {
      const endless = numbers ? endlessIn(data as object) : undefined
      if (endless !== undefined) return { error: part === 'params' ? notFound() : tooLarge(endless) }
      return absent ? { error: invalid(null, 'Send a JSON body: this operation needs one.', 'required') } : true
    }
    return { error: part === 'params' ? notFound() : problem(validate.errors!, known) }
  }
}

/**
 * Reduces schemas marked `x-checked-by-handler` to their type and, for a union, its tag and the names of its
 * members. Ajv lists the problems of every alternative of a union, and sees only text in a list that is sent as JSON text.
 */
function outlined(node: any): any {
  if (Array.isArray(node)) return node.map(outlined)
  if (typeof node !== 'object' || node === null) return node
  if (!node['x-checked-by-handler'])
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, outlined(value)]))
  const { type, oneOf, discriminator } = node
  if (!oneOf) return { type }
  const tag: string = discriminator.propertyName
  const members = new Set<string>(oneOf.flatMap((one: Json) => Object.keys(one.properties)))
  const tags = { type: 'string', enum: oneOf.map((one: Json) => one.properties[tag].const) }
  const properties = Object.fromEntries([...members].map((key) => [key, key === tag ? tags : { type: 'object' }]))
  return { type, required: [tag], properties }
}

/** What is part of a path is text already. A start whose first request needs no validator is a tenth shorter. */
const takesAnyText = ({ properties = {} }: { properties?: Record<string, object> }): boolean =>
  Object.values(properties).every((schema) => JSON.stringify(schema) === '{"type":"string"}')

/** A parameter that is converted to an infinite number: Ajv holds such against no bound. */
const endlessIn = (data: object): string | undefined =>
  Object.entries(data).find(
    ([, value]) => value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY,
  )?.[0]

const tooLarge = (attr: string): AppError =>
  invalid(attr, `"${attr}" is not a number one can count to. Send a smaller one.`)

/** The first problem, as an error for the caller. */
function problem(errors: ErrorObject[], schema: Json): AppError {
  const error = tellingError(errors)
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((key) => key.replace(/~1/g, '/').replace(/~0/g, '~'))
  const attrOf = (...more: string[]): string | null => [...path, ...more].join('__') || null
  const attr = attrOf()
  const field = attr === null ? 'The body' : `"${path.join('.')}"`
  const { keyword, params, data, parentSchema } = error
  // The alternatives of one value: an enum or null, a text or a list.
  const beside = errors.filter(({ instancePath }) => instancePath === error.instancePath)
  const types = [...new Set(beside.flatMap((one) => (one.keyword === 'type' ? [one.params.type].flat() : [])))]
  const nullProblem = (): AppError =>
    isRequired(schema, path)
      ? invalid(attr, `${field} must be ${wanted(types, parentSchema)}, not null.`, 'null')
      : invalid(attr, `${field} cannot be null. Leave it out, or send a value.`, 'null')

  switch (keyword) {
    case 'required':
      return invalid(
        attrOf(params.missingProperty),
        `Send "${[...path, params.missingProperty].join('.')}": it is required.`,
        'required',
      )
    case 'additionalProperties':
      return invalid(
        attrOf(params.additionalProperty),
        `"${params.additionalProperty}" is not a setting here. Leave it out.`,
      )
    case 'type':
      if (data === null) return nullProblem()
      if (params.type === 'array') return invalid(attr, `${field} must be a list.`, 'not_a_list')
      return invalid(attr, `${field} must be ${article(types)}.`)
    case 'enum':
    case 'const': {
      if (data === null) return nullProblem()
      const found = beside.flatMap((one) => one.params.allowedValues ?? one.params.allowedValue ?? [])
      const choices = [...found, ...(types.includes('null') ? [null] : [])].map((choice) => JSON.stringify(choice))
      const oneOf = choices.length > 2 ? `one of ${choices.join(', ')}` : choices.join(' or ')
      return invalid(attr, `${field} must be ${oneOf}.`, 'invalid_choice')
    }
    case 'minLength':
      return invalid(attr, `${field} cannot be blank.`, 'blank')
    case 'maxLength':
      return invalid(attr, `${field} is longer than ${params.limit} characters.`, 'max_length')
    case 'x-max-json':
      return invalid(attr, `${field} is longer than ${params.limit} characters as JSON.`, 'max_length')
    case 'minItems':
      return invalid(attr, `${field} needs at least ${params.limit} entries.`, 'empty')
    case 'maxItems':
      if (params.limit === 0) return invalid(attr, `${field} must be an empty list.`, 'max_length')
      return invalid(attr, `${field} takes at most ${params.limit} entries.`, 'max_length')
    case 'minimum':
      return invalid(attr, `${field} must be at least ${params.limit}.`)
    case 'maximum':
      return invalid(attr, `${field} must be at most ${params.limit}.`)
    case 'format':
      return invalid(attr, `${field} is not a valid ${FORMATS[params.format] ?? params.format}.`)
    default:
      return params.pattern === SINGLE_LINE
        ? invalid(attr, `${field} cannot contain line breaks or control characters. Remove them.`)
        : invalid(attr, `${field} is not as the contract wants it: ${error.message}.`)
  }
}

/**
 * The error to tell of. Where a schema offers alternatives Ajv lists what is wrong with each; the one whose type fits
 * is the one that was meant.
 */
function tellingError(errors: ErrorObject[]): ErrorObject {
  const choices = errors.filter(({ keyword }) => keyword === 'oneOf' || keyword === 'anyOf')
  if (choices.length === 0) return errors[0]!
  const otherType = (error: ErrorObject): boolean =>
    error.keyword === 'type' && choices.some((choice) => choice.instancePath === error.instancePath)
  return errors.find((error) => !choices.includes(error) && !otherType(error)) ?? errors[0]!
}

const FORMATS: Record<string, string> = {
  email: 'e-mail address',
  uuid: 'UUID',
  'date-time': 'ISO 8601 time',
  uri: 'URL',
}

/** Whether the member that a path leads to is required wherever the schema describes it. */
function isRequired(schema: Json, path: readonly string[]): boolean {
  const parts = (one: Json): Json[] => [
    one,
    ...[one.allOf, one.anyOf, one.oneOf].flatMap((many) => many ?? []).flatMap(parts),
  ]
  let required = false
  let at = [schema]
  for (const key of path) {
    const here = at.flatMap(parts)
    required = here.some((one) => one.required?.includes(key))
    at = here.flatMap((one) => one.properties?.[key] ?? one.items ?? [])
  }
  return required
}

/** A type, with the schema's example where it has one. */
const wanted = (types: readonly string[], schema: Json | undefined): string => {
  const [example] = schema?.examples ?? []
  return article(types) + (example === undefined ? '' : ` such as ${JSON.stringify(example)}`)
}

const article = (types: readonly string[]): string =>
  types.map((type) => (type === 'null' ? 'null' : `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`)).join(' or ')
