/** Arithmetic with stored times, which are ISO 8601 in UTC with milliseconds. */

export const addMilliseconds = (time: string, milliseconds: number): string =>
  new Date(Date.parse(time) + milliseconds).toISOString()

/** Microseconds since 1970, as in the columns of events. */
export const epochMicroseconds = (time: string): number => Date.parse(time) * 1000
