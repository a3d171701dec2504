/** Parses ISO 8601 for the API and for events. HogQL has its own patterns, because PostgreSQL runs the same ones. */
import { dayOfDate, dayOfOrdinalDate, dayOfWeekDate, microsecondsOf, secondOfDay } from './calendar.ts'

/** Exact in every year, unlike a number of microseconds, which exceeds safe integers after 2255. */
export interface Instant {
  /** Since 1970, UTC. */
  seconds: number
  /** From 0 to 999999. */
  microseconds: number
}

export interface IsoOptions {
  /**
   * Accepts the spellings that client libraries send: week and ordinal dates, times without colons or after a partial
   * date, a zone after a date, and any number of fraction digits. Rejects 24:00:00, which the strict form accepts.
   */
  lenient?: boolean
}

const DAY_SECONDS = 86_400
const MAX_FRACTION_DIGITS = 9

/**
 * Without a zone the time is UTC. Returns undefined for text that is not ISO 8601, and null for a date or time that does
 * not exist, such as February 30.
 */
export function parseIso(text: string, { lenient = false }: IsoOptions = {}): Instant | null | undefined {
  for (const readDate of lenient ? LENIENT_DATES : STRICT_DATES) {
    const scanner = new Scanner(text)
    const day = readDate(scanner)
    if (day === undefined) continue
    const time = lenient || readDate === calendarDate ? scanner.optional(() => readTime(scanner, lenient)) : undefined
    const offset = lenient || time ? readOffset(scanner, lenient) : 0
    if (!scanner.atEnd()) continue
    const { seconds, microseconds } = time ?? MIDNIGHT
    if (day === null || seconds === null || offset === null) return null
    return { seconds: day * DAY_SECONDS + seconds - offset, microseconds }
  }
  return undefined
}

/** A cursor over the text. A method that returns undefined or false has not moved it. */
class Scanner {
  private at = 0

  constructor(private readonly text: string) {}

  atEnd(): boolean {
    return this.at === this.text.length
  }

  /** Reads one of the characters, which are in upper case, ignoring case. */
  oneOf(characters: string): string | undefined {
    const character = this.text.charAt(this.at)
    const upper = character >= 'a' ? character.toUpperCase() : character
    if (upper === '' || !characters.includes(upper)) return undefined
    this.at++
    return upper
  }

  /** Reads up to `max` digits. */
  digits(max: number): string {
    const start = this.at
    while (this.at - start < max && isDigit(this.text.charCodeAt(this.at))) this.at++
    return this.text.slice(start, this.at)
  }

  /** Reads exactly `count` digits. */
  number(count: number): number | undefined {
    let value = 0
    for (let i = 0; i < count; i++) {
      const code = this.text.charCodeAt(this.at + i)
      if (!isDigit(code)) return undefined
      value = value * 10 + code - ZERO
    }
    this.at += count
    return value
  }

  /** Reads one of the separators and exactly `count` digits. */
  numberAfter(separators: string, count: number): number | undefined {
    if (this.oneOf(separators) === undefined) return undefined
    const value = this.number(count)
    if (value === undefined) this.at--
    return value
  }

  skipSpace(): void {
    while (!this.atEnd() && this.text.charAt(this.at).trim() === '') this.at++
  }

  /** Moves back if `read` returns undefined. */
  optional<Value>(read: () => Value | undefined): Value | undefined {
    const start = this.at
    const value = read()
    if (value === undefined) this.at = start
    return value
  }
}

const [ZERO, NINE] = [0x30, 0x39]
const isDigit = (code: number): boolean => code >= ZERO && code <= NINE

/** Returns days since 1970, null if the date does not exist, undefined if the text has another form. */
type ReadDate = (scanner: Scanner) => number | null | undefined

const calendarDate: ReadDate = (scanner) => {
  const year = scanner.number(4)
  const month = scanner.numberAfter('-', 2)
  const day = scanner.numberAfter('-', 2)
  return year === undefined || month === undefined || day === undefined ? undefined : dayOfDate(year, month, day)
}

const ordinalDate: ReadDate = (scanner) => {
  const year = scanner.number(4)
  const ordinal = scanner.numberAfter('-', 3)
  return year === undefined || ordinal === undefined ? undefined : dayOfOrdinalDate(year, ordinal)
}

const weekDate: ReadDate = (scanner) => {
  const year = scanner.number(4)
  scanner.oneOf('-')
  const week = scanner.numberAfter('W', 2)
  scanner.oneOf('-')
  const weekday = scanner.number(1)
  if (year === undefined || week === undefined || !weekday || weekday > 7) return undefined
  return dayOfWeekDate(year, week, weekday)
}

const yearAndMonth: ReadDate = (scanner) => {
  const year = scanner.number(4)
  const month = scanner.numberAfter('-', 2)
  return year === undefined || month === undefined ? undefined : dayOfDate(year, month, 1)
}

const yearOnly: ReadDate = (scanner) => {
  const year = scanner.number(4)
  return year === undefined ? undefined : dayOfDate(year, 1, 1)
}

/** In order of precedence: `2021-10` is October, not a year with a zone. */
const STRICT_DATES = [calendarDate, yearAndMonth, yearOnly]
const LENIENT_DATES = [calendarDate, ordinalDate, weekDate, yearAndMonth, yearOnly]

interface TimeOfDay {
  /** Since midnight. */
  seconds: number | null
  microseconds: number
}

const MIDNIGHT: TimeOfDay = { seconds: 0, microseconds: 0 }

function readTime(scanner: Scanner, lenient: boolean): TimeOfDay | undefined {
  const readPart = (): number | undefined => scanner.numberAfter(':', 2) ?? (lenient ? scanner.number(2) : undefined)
  const hour = scanner.numberAfter('T ', 2)
  const minute = readPart()
  if (hour === undefined || minute === undefined) return undefined
  const second = readPart()
  const fraction = second === undefined ? undefined : readFraction(scanner, lenient)
  const isMidnight24 = !lenient && hour === 24 && minute === 0 && !second
  return {
    seconds: isMidnight24 ? DAY_SECONDS : secondOfDay(hour, minute, second ?? 0),
    microseconds: microsecondsOf(fraction ?? ''),
  }
}

const readFraction = (scanner: Scanner, lenient: boolean): string | undefined =>
  scanner.optional(() =>
    scanner.oneOf('.,')
      ? scanner.digits(lenient ? Number.POSITIVE_INFINITY : MAX_FRACTION_DIGITS) || undefined
      : undefined,
  )

/** Returns seconds east of UTC, 0 without a zone. */
function readOffset(scanner: Scanner, lenient: boolean): number | null {
  scanner.skipSpace()
  if (scanner.oneOf('Z')) return 0
  const offset = scanner.optional(() => {
    const sign = scanner.oneOf('+-')
    const hours = scanner.number(2)
    if (sign === undefined || hours === undefined) return undefined
    let minutes = scanner.numberAfter(':', 2) ?? scanner.number(2)
    if (minutes === undefined) {
      minutes = 0
      // `+02:` is accepted from clients.
      if (lenient) scanner.oneOf(':')
    }
    if (!lenient && (hours > 23 || minutes > 59)) return null
    return (sign === '-' ? -1 : 1) * (hours * 60 + minutes) * 60
  })
  return offset === undefined ? 0 : offset
}
