import type { Readable } from 'node:stream'
import type { Caller } from '../auth/caller.ts'
import type { Answer, AreaName, Body, IdsOf, OperationId, Params, Query } from '../contract/operations.ts'
import type { Operation } from '../contract/table.ts'
import type { RawRequest } from '../events/payload.ts'
import type { OrganizationRow } from '../store/organizations.ts'
import type { MembersProjectRow } from '../store/projects.ts'

type PublicId = IdsOf<'signup'> | IdsOf<'capture'> | IdsOf<'service'>

type OrganizationOf<Id extends OperationId> =
  Params<Id> extends { organization_id: string }
    ? OrganizationRow
    : Id extends IdsOf<'organizations'>
      ? Params<Id> extends { id: string }
        ? OrganizationRow
        : undefined
      : undefined

type ProjectOf<Id extends OperationId> =
  Params<Id> extends { project_id: string }
    ? MembersProjectRow
    : Id extends IdsOf<'projects'>
      ? Params<Id> extends { id: string }
        ? MembersProjectRow
        : undefined
      : undefined

/** What capture reads instead of a validated body: its senders pack the same events in a dozen ways. */
export interface Raw extends RawRequest {
  /** Counts this request for the project whose token it carries; throws throttled where it is too often. */
  admit(project_id: number): void
  /** Throws `throttled` when too many requests of this address were refused. */
  requireGoodStanding(): void
}

/** Where a request came in, for the links in its answer. */
export interface RequestUrl {
  /** Scheme and host. */
  origin: string
  path: string
  search: string
}

/** A request as a handler sees it: credentials checked, access resolved, input validated. */
export interface HandlerContext<Id extends OperationId, Subject = undefined> {
  params: Params<Id>
  query: Query<Id>
  body: Body<Id>
  caller: Id extends PublicId ? Caller | undefined : Caller
  organization: OrganizationOf<Id>
  project: ProjectOf<Id>
  /** What the last id of the path names, found by the area's `subject`. */
  subject: Subject
  url: RequestUrl
  /** The address of the peer, and whether it sits on this machine with nothing in between. */
  peer: { address: string; local: boolean }
  authorization: string | undefined
  /** The request as it came, in the area that parses by itself. */
  raw: Id extends IdsOf<'capture'> ? Raw : undefined
  accept: string | undefined
  /** Aborted when the caller has gone before the answer. Made where it is asked for. */
  signal: AbortSignal
}

/** An answer that is written already: in another media type, with headers of its own, or a stream too long to hold. */
export class RawResponse {
  constructor(
    readonly type: 'application/json' | 'text/csv' | 'text/html' | 'text/javascript',
    readonly body: string | Buffer | Readable,
    readonly headers: Record<string, string> = {},
  ) {}
}

/** What is known before the body is read. */
export interface ResolvedAccess {
  operation: Operation
  params: Record<string, string>
  caller: Caller
  organization: OrganizationRow | undefined
  project: MembersProjectRow | undefined
}

/** The handlers of one area of the contract: a missing operation or a wrong answer does not compile. */
export interface Area<Name extends AreaName, Subject = undefined> {
  /** Finds what the path's own id names, before the body is validated; throws not_found where there is nothing. */
  subject?: (located: ResolvedAccess) => Promise<Subject>
  /** What the area asks beyond the level, after the subject was found and before the body is validated. */
  admit?: (located: ResolvedAccess, subject: Subject | undefined) => Promise<void>
  operations: { [Id in IdsOf<Name>]: (call: HandlerContext<Id, Subject>) => Promise<Answer<Id> | RawResponse> }
}
