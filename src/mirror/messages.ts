/** The messages between the server and the processes of the mirror. */
import { Type } from '@sinclair/typebox'

/** The largest scale of the decimals that are added exactly. */
export const MAX_SCALE = 6

/** A property of a segment. */
export const PropertySchema = Type.Object({
  /** Whether some value is a number. */
  number: Type.Boolean(),
  /** The decimal places of all numbers. Null if they have more than `MAX_SCALE`, or more digits than a double adds exactly. */
  scale: Type.Union([Type.Integer({ minimum: 0, maximum: MAX_SCALE }), Type.Null()]),
  /** The largest absolute value. */
  max: Type.Number(),
})

/** The properties of a segment by name. A property that no event has is not among them. */
export const PropertiesSchema = Type.Object({
  stored: Type.Record(Type.String(), PropertySchema),
  /** Properties that events have and the segment does not store. Null if there are too many. */
  left_out: Type.Union([Type.Array(Type.String()), Type.Null()]),
})

export type Property = typeof PropertySchema.static
export type Properties = typeof PropertiesSchema.static

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
