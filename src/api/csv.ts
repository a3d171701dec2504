/** The first characters that make a spreadsheet run a cell as a formula. Excel reads the full-width signs as plain ones. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i
/** The largest double has 309 digits. */
const MAX_NUMBER_LENGTH = 400

/** Prefixes a cell that looks like a formula with `'`, unless it is a number. */
export function csvCell(text: string): string {
  const safe = FORMULA.test(text) && !isNumber(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const isNumber = (text: string): boolean => text.length <= MAX_NUMBER_LENGTH && NUMBER.test(text)

export const csvRow = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

/** The text of a cell: nothing for null, JSON for lists and objects. */
export const cellText = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
