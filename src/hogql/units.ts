/** Units of INTERVAL, dateDiff and dateTrunc. */
export const INTERVAL_UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const
export type IntervalUnit = (typeof INTERVAL_UNITS)[number]

/** Reads a unit in any case, singular or plural. */
export function parseUnit(text: string): IntervalUnit | undefined {
  const word = text.toLowerCase().replace(/s$/, '')
  return INTERVAL_UNITS.find((unit) => unit === word)
}

/** `day` → `Day`, as in toIntervalDay. */
export const capitalized = (unit: IntervalUnit): string => unit.charAt(0).toUpperCase() + unit.slice(1)
