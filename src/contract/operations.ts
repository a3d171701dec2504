import type { operations } from './openapi.ts'

/** `area.verb`, the name of an operation in the contract. */
export type OperationId = keyof operations

/** The part of an operation id before the dot. */
export type AreaName = OperationId extends `${infer Area}.${string}` ? Area : never

export type IdsOf<Area extends string> = Extract<OperationId, `${Area}.${string}`>

/** Areas whose operations need no credentials. */
export const PUBLIC_AREAS = ['signup', 'capture', 'service', 'password_reset', 'sso'] as const satisfies AreaName[]
/** Operations of other areas that need no credentials. */
export const PUBLIC_OPERATIONS = [
  'session.precheck',
  'session.create',
  'session.verify_second_factor',
  'session.use_link',
  'session.page',
  'users.verify_email',
] as const satisfies OperationId[]

export type PublicId = IdsOf<(typeof PUBLIC_AREAS)[number]> | (typeof PUBLIC_OPERATIONS)[number]

export const isPublic = (id: string): boolean =>
  PUBLIC_OPERATIONS.some((operation) => operation === id) || PUBLIC_AREAS.some((area) => id.startsWith(`${area}.`))

type Parameters<Id extends OperationId> = operations[Id]['parameters']

export type Params<Id extends OperationId> = Parameters<Id> extends { path: infer Path } ? Path : Record<never, never>

export type Query<Id extends OperationId> =
  Parameters<Id> extends { query?: infer Query } ? NonNullable<Query> : Record<never, never>

/** The JSON request body. May be undefined if the contract does not require a body. */
export type Body<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { 'application/json': infer Body } }
}
  ? Body
  : operations[Id] extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? Body | undefined
    : operations[Id] extends { requestBody: { content: { 'application/x-www-form-urlencoded': infer Form } } }
      ? Form
      : undefined

type Success<Responses> = Responses[Extract<keyof Responses, 200 | 201 | 204>]

/** The JSON body of the operation's 2xx response; unknown if it has none. */
export type ResponseBody<Id extends OperationId> =
  Success<operations[Id]['responses']> extends {
    content: { 'application/json': infer Body }
  }
    ? Body
    : unknown
