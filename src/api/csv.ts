/** The first characters that make a spreadsheet run a cell as a formula. */
const FORMULA = /^[=+\-@\t\r]/
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
