/** What the catalog says about the properties of a segment. */
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

/** The largest scale of the decimals that are added exactly. */
export const MAX_SCALE = 6

/** A property of a segment. */
const PropertySchema = Type.Object({
  /** Whether some value is a number. */
  number: Type.Boolean(),
  /** The decimal places of all numbers. Null if they have more than `MAX_SCALE`, or more digits than a double adds exactly. */
  scale: Type.Union([Type.Integer({ minimum: 0, maximum: MAX_SCALE }), Type.Null()]),
  /** The largest absolute value. */
  max: Type.Number(),
})

/** The properties of a segment by name. A property that no event has is not among them. */
const PropertiesSchema = Type.Object({
  stored: Type.Record(Type.String(), PropertySchema),
  /** Properties that events have and the segment does not store. Null if there are too many. */
  left_out: Type.Union([Type.Array(Type.String()), Type.Null()]),
})

export type Property = typeof PropertySchema.static
export type Properties = typeof PropertiesSchema.static

/** Properties of a merged segment. Names that change over time would otherwise add columns with each merge. */
export const MAX_STORED = 600
/** Names of properties that the catalog lists as left out. */
export const MAX_LEFT_OUT = 1_000
/** The texts that stay parsed. Segments change rarely. */
const MAX_PARSED = 500

const parsed = new Map<string, Properties | undefined>()

/** Undefined for a text that this version did not write. */
export function parseProperties(text: string): Properties | undefined {
  if (parsed.has(text)) return parsed.get(text)
  if (parsed.size >= MAX_PARSED) parsed.clear()
  const properties = parseJson(text)
  const known = Value.Check(PropertiesSchema, properties) ? properties : undefined
  parsed.set(text, known)
  return known
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether the columns have all values of a property. */
export const hasProperty = ({ stored, left_out }: Properties, key: string): boolean =>
  Object.hasOwn(stored, key) || (left_out !== null && !left_out.includes(key))

/** The properties of a file that is made of several parts. One that a part leaves out is left out. */
export function mergeProperties(parts: readonly Properties[]): Properties {
  const keys = [...new Set(parts.flatMap(({ stored }) => Object.keys(stored)))]
  const partsWith = (key: string): number => parts.filter(({ stored }) => Object.hasOwn(stored, key)).length
  const kept = keys
    .filter((key) => parts.every((part) => hasProperty(part, key)))
    .sort((a, b) => partsWith(b) - partsWith(a))
    .slice(0, MAX_STORED)
  const known = parts.flatMap(({ left_out }) => (left_out ? [left_out] : []))
  const isKept = new Set(kept)
  const left_out = [...new Set([...known.flat(), ...keys.filter((key) => !isKept.has(key))])]
  return {
    stored: Object.fromEntries(kept.map((key) => [key, mergedProperty(parts, key)])),
    left_out: known.length < parts.length || left_out.length > MAX_LEFT_OUT ? null : left_out,
  }
}

/** A property of parts that have all of its values. */
export function mergedProperty(parts: readonly Properties[], key: string): Property {
  const found = parts.flatMap(({ stored }) => (Object.hasOwn(stored, key) ? [stored[key] as Property] : []))
  return {
    number: found.some(({ number }) => number),
    scale: found.some(({ scale }) => scale === null) ? null : Math.max(0, ...found.map(({ scale }) => scale ?? 0)),
    max: Math.max(0, ...found.map(({ max }) => max)),
  }
}
