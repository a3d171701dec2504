import type { ErrorCode } from '../errors.ts'
import type { NewEvent } from './normalize-event.ts'
import type { RawRequest } from './payload.ts'
import type { RefusedEvent, Sender } from './receive.ts'

/** Messages to a parser process: a request, its body in slices, and a response to each `token` and `events` reply. */
export type ParserRequest =
  | { kind: 'request'; request: Omit<RawRequest, 'bytes'>; length: number | null }
  | { kind: 'slice'; bytes: Buffer }
  /** The token is accepted. If null, the parser discards the request. */
  | { kind: 'sender'; sender: Sender | null }
  | { kind: 'acknowledged' }

/** Messages from a parser process. `done`, `failed` and `crashed` end a request. */
export type ParserReply =
  | { kind: 'token'; token: string }
  | { kind: 'events'; events: NewEvent[] }
  | { kind: 'done'; refused: RefusedEvent[] }
  | ParserFailure
  /** An unexpected error, for the log. */
  | { kind: 'crashed'; stack: string }

export interface ParserFailure {
  kind: 'failed'
  code: ErrorCode
  detail: string
  attr: string | null
  unauthenticated: boolean
}
