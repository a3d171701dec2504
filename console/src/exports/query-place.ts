/** The place in a query that an error message names. */
const LINE_AND_COLUMN = /\(line (\d{1,6}), column (\d{1,6})\)/
const POSITION = /at position (\d{1,6})/

/** The index of the character, or null if the message names no place. */
export function placeIn(query: string, message: string): number | null {
  const [, line, column] = LINE_AND_COLUMN.exec(message) ?? []
  if (line !== undefined && column !== undefined) {
    const before = query.split('\n').slice(0, Number(line) - 1)
    const start = before.reduce((sum, text) => sum + text.length + 1, 0)
    return Math.min(query.length, start + Number(column) - 1)
  }
  const [, position] = POSITION.exec(message) ?? []
  return position === undefined ? null : Math.min(query.length, Number(position) - 1)
}
