import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Caller } from '../auth/caller.ts'
import type { Client } from '../auth/sessions.ts'
import type {
  AreaName,
  Body,
  IdsOf,
  OperationId,
  Params,
  PublicId,
  Query,
  ResponseBody,
} from '../contract/operations.ts'
import type { Operation } from '../contract/table.ts'
import type { RawRequest } from '../events/payload.ts'
import type { UserActor } from '../store/activity_log.ts'
import type { OrganizationRow } from '../store/organizations.ts'
import type { MembersProjectRow } from '../store/projects.ts'
import type { SessionRow } from '../store/sessions.ts'

/** The row of the organization or project whose id the path contains. */
type PlaceOf<Id extends OperationId, Name extends string, Row> =
  Params<Id> extends Record<`${Name}_id`, string>
    ? Row
    : Id extends IdsOf<`${Name}s`>
      ? Params<Id> extends { id: string }
        ? Row
        : undefined
      : undefined

type OrganizationOf<Id extends OperationId> = PlaceOf<Id, 'organization', OrganizationRow>
type ProjectOf<Id extends OperationId> = PlaceOf<Id, 'project', MembersProjectRow>

/** The unparsed request, for capture: its clients encode the same events in many ways. */
export interface Raw extends RawRequest {
  /** Counts the request for its project. Throws `throttled` above the limit. */
  countCapture(project_id: number): void
  /** Throws `throttled` when too many requests of this address were rejected. */
  checkCaptureAddress(): void
}

/** The URL of a request, for links in the response. */
export interface RequestUrl {
  /** Scheme and host. */
  origin: string
  path: string
  search: string
}

export interface CookieOptions {
  /** Without it, the cookie expires when the browser closes. */
  max_age_seconds?: number
  /** Whether scripts may read it. */
  readable?: boolean
  /** Whether it is sent with cross-site form posts. */
  cross_site?: boolean
}

/** The cookies of a request and of its response. */
export interface Cookies {
  get(name: string): string | undefined
  set(name: string, value: string, options?: CookieOptions): void
  clear(name: string): void
}

/** A request with credentials checked, access resolved and input validated. */
export interface HandlerContext<Id extends OperationId, Subject = undefined> {
  params: Params<Id>
  query: Query<Id>
  body: Body<Id>
  caller: Id extends PublicId ? Caller | undefined : Caller
  /** The caller as the activity log records them. */
  actor: Id extends PublicId ? undefined : UserActor
  organization: OrganizationOf<Id>
  project: ProjectOf<Id>
  /** The resource that the last id of the path names, from the `subject` of the area. */
  subject: Subject
  url: RequestUrl
  /** The client address. `local` means a direct connection from this machine. */
  peer: { address: string; local: boolean }
  /** The client address and user agent, for the list of sessions. */
  client: Client
  cookies: Cookies
  /** The session of a request to a public operation; null without one. */
  currentSession(): Promise<SessionRow | null>
  /** The user of that session. An unsafe request needs the CSRF token of the session. */
  currentCaller(): Promise<Caller | undefined>
  headers: IncomingHttpHeaders
  raw: Id extends IdsOf<'capture'> ? Raw : undefined
  /** Aborted when the client disconnects before the response. Created on first use. */
  signal: AbortSignal
}

/** A serialized response: another media type, extra headers or a stream. */
export class RawResponse<Body extends string | Buffer | Readable = string | Buffer | Readable> {
  constructor(
    readonly type:
      | 'application/javascript'
      | 'application/json'
      | 'text/csv'
      | 'text/html'
      | 'text/javascript'
      | 'text/plain'
      | 'text/xml',
    readonly body: Body,
    readonly headers: Record<string, string> = {},
    /** Not modified: the response has no body. */
    readonly status?: 304,
  ) {}
}

/** The resolved path of a request. Known before the body is read. */
export interface ResolvedAccess {
  operation: Operation
  params: Record<string, string>
  caller: Caller
  organization: OrganizationRow | undefined
  project: MembersProjectRow | undefined
}

type ParamName<Id extends OperationId> = Id extends OperationId ? keyof Params<Id> : never

/** The resolved access of an area, whose paths decide which ids and resources are present. */
export type AreaAccess<Name extends AreaName> = Omit<ResolvedAccess, 'params' | 'organization' | 'project'> & {
  params: Record<ParamName<IdsOf<Name>>, string>
  organization: OrganizationOf<IdsOf<Name>>
  project: ProjectOf<IdsOf<Name>>
}

/**
 * The handlers of one area of the contract. A missing operation or a wrong response does not compile. `subject` and
 * `admit` are methods, so an area can narrow their argument to its `AreaAccess`.
 */
export interface Area<Name extends AreaName, Subject = undefined> {
  /** Finds the resource that the last id of the path names, before the body is validated. Throws not_found. */
  subject?(access: ResolvedAccess): Promise<Subject>
  /** Checks access beyond the level, after `subject` and before the body is validated. */
  admit?(access: ResolvedAccess, subject: Subject | undefined): Promise<void>
  operations: { [Id in IdsOf<Name>]: (call: HandlerContext<Id, Subject>) => Promise<ResponseBody<Id> | RawResponse> }
}
