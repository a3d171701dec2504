/** Where an import stores events: a local database (`local.ts`) or a server (`remote.ts`). */
import type { NewEvent } from '../../events/normalize-event.ts'

export interface Target {
  /** For people: the project, and the database or server. */
  place: string
  project: { id: number; uuid: string }
  /** Microseconds since 1970: the time of events without one. */
  now: number
  begin(): Promise<Batch>
  /** Called after the last batch if any event was stored. */
  finish(): Promise<Finish>
}

/** A group of events that are stored together. */
export interface Batch {
  /** Whether `store` needs the events as they were sent. */
  keepsSent: boolean
  store(events: NewEvent[]): Promise<Stored>
}

export interface Stored {
  stored: number
  already_there: number
  dropped: number
  /** The positions of events that the target refused, with the reason. */
  refused: { index: number; reason: string }[]
}

/** Counts that are only known at the end. */
export interface Finish {
  already_there?: number | null
}
