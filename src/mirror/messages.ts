/** The messages between the server and the processes of the mirror. */
import type { Properties } from './properties.ts'

/** The events of a range of positions in a file. */
export interface SegmentFile {
  from_position: number
  to_position: number
  file: string
  events: number
}

export interface Segment extends SegmentFile {
  /** `Properties` as JSON. */
  properties: string
}

/** Writes the file of a segment. */
export type SegmentJob =
  | { kind: 'seal'; file: string; project_id: number; from: number; below: number; max_events: number }
  | {
      kind: 'merge'
      file: string
      project_id: number
      from: number
      below: number
      files: string[]
      properties: Properties
      deleted: number[]
    }

export type SegmentReply =
  | { kind: 'sealed'; to: number; events: number; properties: Properties }
  | { kind: 'merged'; events: number; properties: Properties }
  | { kind: 'failed'; message: string; code: string }

/** The code of a failed statement that the mirror cannot answer. */
export const NOT_MIRRORED = 'not_mirrored'
/** The code of an error after which the mirror of the project begins again. */
export const UNUSABLE = 'unusable_segment'

export class Unusable extends Error {
  readonly code = UNUSABLE
}
