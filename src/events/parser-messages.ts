import type { ErrorCode } from '../errors.ts'
import type { NewEvent } from './normalize-event.ts'
import type { RawRequest } from './payload.ts'
import type { RefusedEvent, Sender } from './receive.ts'

/** What the server sends to a parser process: a request, its body in slices, and an answer to each reply. */
export type ToParser =
  | { request: Omit<RawRequest, 'bytes'>; length: number | null }
  | { slice: Buffer }
  /** The token is accepted. Null: the request is not to be parsed. */
  | { sender: Sender | null }
  | { more: true }

/** What a parser process replies. `done`, `failed` and `broken` end a request; the others are answered. */
export type FromParser =
  | { token: string }
  | { events: NewEvent[] }
  | { done: RefusedEvent[] }
  | { failed: { code: ErrorCode; detail: string; attr: string | null; unauthenticated: boolean } }
  /** A fault of ours, for the log. */
  | { broken: string }
