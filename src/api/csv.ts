const FORMULA = /^[=+\-@\t\r]/
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i
/** The largest number, written out, has 309 digits. */
const MAX_NUMBER_LENGTH = 400

/** A cell that a spreadsheet would run as a formula becomes text by a quote before it; a number stays one. */
export function csvCell(text: string): string {
  const harmless = FORMULA.test(text) && !isNumber(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

const isNumber = (text: string): boolean => text.length <= MAX_NUMBER_LENGTH && NUMBER.test(text)

export const csvRow = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`
