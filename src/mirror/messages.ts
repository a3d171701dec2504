/** The messages between the server and the processes of the mirror. */
import type { Properties } from './properties.ts'

/** A file with the events of a range of positions. */
export interface Segment {
  from_position: number
  to_position: number
  file: string
  events: number
  /** `Properties` as JSON. */
  properties: string
}

/** Writes the file of a segment. */
export type SegmentJob =
  | { kind: 'seal'; file: string; project_id: number; from: number; below: number; max_events: number }
  | { kind: 'merge'; file: string; files: string[]; properties: Properties; deleted: number[] }

export type SegmentReply =
  | { kind: 'sealed'; to: number; events: number; properties: Properties }
  | { kind: 'merged'; events: number }
  | { kind: 'failed'; message: string; code: string }

/** The code of a failed statement that the mirror cannot answer. */
export const NOT_MIRRORED = 'not_mirrored'
/** The code of a failed job whose files cannot be read. */
export const UNREADABLE = 'unreadable_segment'
