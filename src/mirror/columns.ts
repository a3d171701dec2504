/**
 * Events as columns: a text per property, which is the text that HogQL sees, and its number. `json.ts` in `hogql/` computes
 * the same in SQL, but four times slower.
 */
import { MAX_NUMBER_LENGTH, NUMBER_PATTERN } from '../hogql/convert.ts'
import { isMirroredKey } from '../hogql/mirror-columns.ts'
import type { EventRow } from './events.ts'
import { MAX_LEFT_OUT, MAX_SCALE, type Properties } from './properties.ts'

/** Longer texts are rarely grouped by, and would fill the files. */
const MAX_TEXT = 2_000
const MAX_PROPERTIES = 300
/** Two different decimals of up to 15 digits are different doubles, so each is the shortest decimal of its double. */
const FIFTEEN_DIGITS = 1e15
const NUMBER = new RegExp(NUMBER_PATTERN)

/** Events whose columns are in memory at once. */
export const PAGE_EVENTS = 10_000

interface PropertyColumn {
  readonly texts: (string | null)[]
  numbers: (number | null)[] | null
  scale: number | null
  max: number
}

export interface EventColumns {
  readonly seqs: bigint[]
  readonly events: string[]
  readonly distinct_ids: string[]
  readonly timestamps: bigint[]
  readonly properties: Map<string, PropertyColumn>
  /** Properties without a column. Null if there are too many. From then on, no property gets a new column. */
  left_out: Set<string> | null
}

/** Thrown for JSON that this program did not write: its texts could differ from those that the database returns. */
export class ForeignJson extends Error {
  override readonly name = 'ForeignJson'
}

/** The columns of at most `PAGE_EVENTS` events. `wanted` limits the properties. */
export async function columnsOf(
  rows: readonly EventRow[],
  readLarge: (row: EventRow) => Promise<string>,
  wanted?: ReadonlySet<string>,
): Promise<EventColumns> {
  const columns: EventColumns = {
    seqs: rows.map(([, seq]) => BigInt(seq)),
    events: rows.map(([, , event]) => event),
    distinct_ids: rows.map(([, , , distinct_id]) => distinct_id),
    timestamps: rows.map(([, , , , timestamp]) => BigInt(timestamp)),
    properties: new Map(),
    left_out: new Set(),
  }
  for (const [at, row] of rows.entries()) {
    const properties = parse(row[5] ?? (await readLarge(row)))
    for (const key of wanted ?? Object.keys(properties)) {
      const value = Object.hasOwn(properties, key) ? properties[key] : null
      if (value !== null) addProperty(columns, at, key, value)
    }
  }
  return columns
}

function parse(text: string): Record<string, unknown> {
  const properties: Record<string, unknown> = JSON.parse(text)
  if (JSON.stringify(properties) !== text) throw new ForeignJson('The JSON of the properties is not canonical.')
  return properties
}

function addProperty(columns: EventColumns, at: number, key: string, value: unknown): void {
  const { properties, left_out, seqs } = columns
  if (left_out?.has(key)) return
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const column = properties.get(key) ?? addColumn(columns, key)
  if (column && text.length <= MAX_TEXT) setProperty(column, at, text, seqs.length)
  else leaveOut(columns, key)
}

function setProperty(column: PropertyColumn, at: number, text: string, length: number): void {
  column.texts[at] = text
  const number = numberOf(text)
  if (number === null) return
  column.numbers ??= emptyColumn(length)
  column.numbers[at] = number
  column.max = Math.max(column.max, Math.abs(number))
  if (column.scale !== null) column.scale = scaleOf(number, column.scale)
}

const emptyColumn = <Value>(length: number): (Value | null)[] => Array<Value | null>(length).fill(null)

/** Undefined if the property cannot have a column. */
function addColumn({ properties, left_out, seqs }: EventColumns, key: string): PropertyColumn | undefined {
  if (!left_out || properties.size >= MAX_PROPERTIES || !isMirroredKey(key)) return undefined
  const column: PropertyColumn = { texts: emptyColumn(seqs.length), numbers: null, scale: 0, max: 0 }
  properties.set(key, column)
  return column
}

function leaveOut(columns: EventColumns, key: string): void {
  columns.properties.delete(key)
  columns.left_out?.add(key)
  if (columns.left_out && columns.left_out.size > MAX_LEFT_OUT) columns.left_out = null
}

/** toFloat of a text, without negative zero. */
const numberOf = (text: string): number | null =>
  text.length <= MAX_NUMBER_LENGTH && NUMBER.test(text) ? Number(text) + 0 : null

/** The decimal places of a number, at least `least`. Null if there are too many, or too many digits. */
function scaleOf(number: number, least: number): number | null {
  for (let scale = least; scale <= MAX_SCALE; scale++) {
    const digits = Math.round(number * 10 ** scale)
    if (Math.abs(digits) < FIFTEEN_DIGITS && digits / 10 ** scale === number) return scale
  }
  return null
}

/** What the catalog stores about the properties of these events. */
export const describeProperties = ({ properties, left_out }: EventColumns): Properties => ({
  stored: Object.fromEntries(
    [...properties].map(([key, { numbers, scale, max }]) => [key, { number: numbers !== null, scale, max }]),
  ),
  left_out: left_out && [...left_out],
})
