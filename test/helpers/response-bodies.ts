/** The type of a response body, from the contract. */
import type { components, operations, paths } from '../../src/contract/openapi.ts'

export type Schemas = components['schemas']

/** The JSON body of a successful response of an operation. */
export type BodyOf<Id extends keyof operations> = SuccessBody<operations[Id]>

/** Unknown if the contract declares no JSON body. */
type SuccessBody<Operation> = Operation extends { responses: infer Responses }
  ? JsonOf<Responses[Extract<keyof Responses, 200 | 201 | 202>]>
  : unknown

type JsonOf<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : unknown

/** The body by method and URL; unknown unless the types of both are literal enough to name an operation. */
export type BodyAt<Method extends string, Url extends string> = string extends Method
  ? unknown
  : AtPath<PathAt<Url extends `${infer Path}?${string}` ? Path : Url>, Lowercase<Method>>

type AtPath<Path extends keyof paths, Method> = [Path] extends [never]
  ? unknown
  : Path extends keyof paths
    ? SuccessBody<paths[Path][Extract<Method, keyof paths[Path]>]>
    : never

/** A literal segment such as `@current` is a parameter only if no path names it. */
type PathAt<Url extends string> = Url extends unknown
  ? [Found<Url, false>] extends [never]
    ? Found<Url, true>
    : Found<Url, false>
  : never

type Found<Url extends string, Literals extends boolean> = {
  [Path in keyof paths]: Matches<Url, Path, Literals> extends true ? Path : never
}[keyof paths]

/** Compares segment by segment, because `${string}` in a pattern also matches slashes. */
type Matches<
  Url extends string,
  Path extends string,
  Literals extends boolean,
> = Path extends `${infer Expected}/${infer PathRest}`
  ? Url extends `${infer Sent}/${infer UrlRest}`
    ? MatchesSegment<Sent, Expected, Literals> extends true
      ? Matches<UrlRest, PathRest, Literals>
      : false
    : false
  : MatchesSegment<Url, Path, Literals>

type MatchesSegment<Sent extends string, Expected, Literals extends boolean> = Expected extends `{${string}}`
  ? IsLiteral<Sent> extends true
    ? Literals
    : true
  : Sent extends Expected
    ? true
    : false

type IsLiteral<Text extends string> = Record<never, never> extends Record<Text, unknown> ? false : true
