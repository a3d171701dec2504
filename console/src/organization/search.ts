/** Reads view state from the URL. Values that do not fit are dropped. */
export type RawSearch = Record<string, unknown>

const MAX_TEXT = 200

/** The router reads `?search=42` as a number. */
export const textIn = (value: unknown): string | undefined =>
  (typeof value === 'string' && value !== '') || typeof value === 'number'
    ? String(value).slice(0, MAX_TEXT)
    : undefined

/** The first page is the default and not in the URL. */
export const pageIn = (value: unknown): number | undefined =>
  Number.isInteger(value) && Number(value) > 1 ? Number(value) : undefined

export const flagIn = (value: unknown): true | undefined => (value === true ? true : undefined)
