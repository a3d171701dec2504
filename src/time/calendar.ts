/** The proleptic Gregorian calendar in UTC. Functions return null for dates and times that do not exist. */

const DAY_MS = 86_400_000

const isLeapYear = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

export const daysInMonth = (year: number, month: number): number =>
  month === 2 ? (isLeapYear(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31

/** `Date.UTC` reads years below 100 as 1900 and later. */
const daysSince1970 = (year: number, month: number, day: number): number =>
  (year < 100 ? new Date(0).setUTCFullYear(year, month - 1, day) : Date.UTC(year, month - 1, day)) / DAY_MS

/** Days since 1970. */
export const dayOfDate = (year: number, month: number, day: number): number | null =>
  month < 1 || month > 12 || day < 1 || (day > 28 && day > daysInMonth(year, month))
    ? null
    : daysSince1970(year, month, day)

/** Days since 1970 of the date `2021-302`. */
export const dayOfOrdinalDate = (year: number, ordinal: number): number | null =>
  ordinal < 1 || ordinal > (isLeapYear(year) ? 366 : 365) ? null : daysSince1970(year, 1, ordinal)

/** Days since 1970 of the date `2021-W43-5`. */
export function dayOfWeekDate(year: number, week: number, weekday: number): number | null {
  if (week < 1 || week > 53 || weekday < 1 || weekday > 7) return null
  // January 4 is always in the first week, and 1970-01-01 was a Thursday.
  const fourth = daysSince1970(year, 1, 4)
  const monday = fourth - ((((fourth + 3) % 7) + 7) % 7)
  return monday + (week - 1) * 7 + weekday - 1
}

/** Seconds since midnight. */
export const secondOfDay = (hour: number, minute: number, second: number): number | null =>
  hour > 23 || minute > 59 || second > 59 ? null : (hour * 60 + minute) * 60 + second

/** Microseconds of a decimal fraction of a second. Further digits are truncated. */
export const microsecondsOf = (fraction: string): number =>
  fraction === '' ? 0 : Number(fraction.slice(0, 6).padEnd(6, '0'))
