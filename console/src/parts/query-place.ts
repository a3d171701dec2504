/** The server ends errors in HogQL with their place. */
const PLACE = /\(line (\d{1,6}), column (\d{1,6})\)/

/** The index of the character that an error names. Undefined if it names none. */
export function placeIn(text: string, error: string): number | undefined {
  const [, line, column] = PLACE.exec(error) ?? []
  if (line === undefined || column === undefined) return undefined
  const before = text.split('\n').slice(0, Number(line) - 1)
  const index = before.reduce((sum, { length }) => sum + length + 1, Number(column) - 1)
  return Math.min(text.length, index)
}
