/** Text for people: tables that wrap instead of cutting, and aligned fields. */
import { isJsonObject, type JsonObject as Row } from '../json/object.ts'
import { parseJson } from '../json/parse.ts'
import { note, print, printable } from './streams.ts'

/** A heading and the value below it. Optional columns are left out of a table that would not fit. */
export interface Column {
  heading: string
  value: (row: Row) => unknown
  isOptional?: boolean
  /** The name of the field, if it is not the heading. */
  field?: string
}

const GAP = '  '
/** No column is wrapped to less than this. */
const MIN_WIDTH = 10
/** A column of text that is narrower than this and its longest word is hard to read. */
const READABLE_WIDTH = 16

/** The width of the terminal. Without a terminal, `COLUMNS` decides, and lines are not wrapped without it. */
export const outputWidth = (columns = process.env.COLUMNS): number =>
  process.stdout.columns || (columns && /^[1-9]\d{0,3}$/.test(columns) ? Number(columns) : Number.POSITIVE_INFINITY)

/** One value on one line. Times are shortened to seconds in UTC, which every time flag accepts. */
export function singleLine(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return singleLine(value.join(', '))
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  const time = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d{1,6})?Z$/.exec(text)
  return time ? `${time[1]} ${time[2]}` : printable(text.replace(/\r?\n/g, '\\n'))
}

/** Aligned `name: value` lines. Nested objects and lists of objects are indented. */
export function fields(object: Row, columnsOf: (name: string) => Column[] | undefined = () => undefined): string {
  return fieldLines(object, columnsOf, outputWidth()).join('\n')
}

function fieldLines(object: Row, columnsOf: (name: string) => Column[] | undefined, width: number): string[] {
  const aligned = Math.max(0, ...Object.keys(object).map((name) => name.length)) + 1
  return Object.entries(object).flatMap(([name, field]) => {
    const value = parsedObject(field) ?? field
    const label = printable(`${name}:`)
    const indented = (lines: string[]) => [label, ...lines.map((line) => `${GAP}${line}`)]
    if (isJsonObject(value) && Object.keys(value).length)
      return indented(fieldLines(value, columnsOf, width - GAP.length))
    if (Array.isArray(value) && value.length && value.every(isJsonObject))
      return indented(table(value, columnsOf(name), width - GAP.length).split('\n'))
    return [`${label.padEnd(aligned)} ${singleLine(value)}`]
  })
}

/** Some fields contain a JSON object as text, such as the properties of an event. */
const parsedObject = (value: unknown): unknown =>
  typeof value === 'string' && value.startsWith('{') ? parseJson(value) : undefined

/** Every scalar of the first row. */
const allColumns = ([head = {}, ...rows]: Row[]): Column[] =>
  Object.keys(head)
    .filter((name) => [head, ...rows].every((row) => !isJsonObject(row[name])))
    .map((name) => ({ heading: name, value: (row) => row[name] }))

/** Cells that do not fit wrap at spaces. A terminal too narrow for that gets one block per row. */
export const table = (rows: Row[], columns: Column[] = allColumns(rows), width = outputWidth()): string =>
  arrange(rows, columns, width).text

/**
 * Prints a list. A terminal that is too narrow gets the first columns, which are the most important ones. `remedy` is the
 * flag that shows the others.
 */
export function printRows(rows: Row[], columns: Column[] | undefined, remedy: string): void {
  const { text, leftOut } = arrange(rows, columns ?? allColumns(rows), outputWidth(), true)
  print(text)
  if (leftOut.length)
    note(
      `Left out to fit ${outputWidth()} columns: ${leftOut.join(', ')}. Use a wider terminal, or add ${remedy} to choose the columns.`,
    )
}

interface Arranged {
  text: string
  /** The fields of the columns that did not fit. */
  leftOut: string[]
}

/** `dropsColumns` keeps the first columns only if the terminal is too narrow for all of them. */
function arrange(rows: Row[], columns: Column[], width: number, dropsColumns = false): Arranged {
  if (rows.length === 0) return { text: 'None.', leftOut: [] }
  const all = columns.map(({ heading, value, isOptional, field = heading }) => {
    const cells = rows.map((row) => singleLine(value(row)))
    const words = [heading, ...cells].flatMap((cell) => cell.split(' '))
    return {
      heading: printable(heading),
      field,
      isOptional,
      cells,
      width: Math.max(...[heading, ...cells].map(widthOf)),
      longestWord: Math.max(...words.map(widthOf)),
    }
  })
  const total = (shown: { width: number }[]) =>
    shown.reduce((sum, column) => sum + column.width + GAP.length, -GAP.length)
  let shown = all.filter(({ isOptional }) => !isOptional)
  for (const column of all.filter(({ isOptional }) => isOptional)) {
    const more = all.filter((one) => one === column || shown.includes(one))
    if (total(more) <= width) shown = more
  }
  if (dropsColumns) {
    const least = shown.map(({ cells, width, longestWord }) => ({
      width: isIdentifier(cells) ? width : Math.min(longestWord, READABLE_WIDTH),
    }))
    const count = least.findLastIndex((_, last) => total(least.slice(0, last + 1)) <= width) + 1
    if (count > 1) shown = shown.slice(0, count)
  }
  const leftOut = all.filter((column) => !shown.includes(column)).map(({ field }) => field)
  for (const least of ['longestWord', 'MIN_WIDTH'] as const)
    while (total(shown) > width) {
      const floorOf = ({ cells, width, longestWord }: (typeof shown)[number]) =>
        isIdentifier(cells) ? width : least === 'longestWord' ? longestWord : MIN_WIDTH
      const widest = shown.filter((column) => column.width > floorOf(column)).sort((a, b) => b.width - a.width)[0]
      if (!widest) break
      widest.width -= 1
    }
  if (total(shown) > width) {
    const blocks = rows.map((_, i) => shown.map(({ heading, cells }) => `${heading}: ${cells[i]}`).join('\n'))
    return { text: blocks.join('\n\n'), leftOut }
  }

  const line = (cells: string[]): string =>
    cells
      .map((cell, i) => cell + ' '.repeat(Math.max(0, (shown[i]?.width ?? 0) - widthOf(cell))))
      .join(GAP)
      .trimEnd()
  const wrapped = (cells: string[]): string[] => {
    const parts = cells.map((cell, i) => wrap(cell, shown[i]?.width ?? 0))
    const height = Math.max(...parts.map((part) => part.length))
    return Array.from({ length: height }, (_, i) => line(parts.map((part) => part[i] ?? '')))
  }
  const lines = [
    ...wrapped(shown.map(({ heading }) => heading)),
    ...rows.flatMap((_, i) => wrapped(shown.map(({ cells }) => cells[i] ?? ''))),
  ]
  return { text: lines.join('\n'), leftOut }
}

/** A column of ids or times, which people copy, so they are never broken. */
const isIdentifier = (cells: string[]): boolean =>
  cells.every((cell) => /^([0-9a-f]{8}-[0-9a-f-]{27}|\d+|-|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)$/.test(cell))

/** Lines of at most `width`, broken at spaces where possible. */
export function wrap(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text]
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) <= width) line += ` ${word}`
    else {
      if (line !== '') lines.push(line)
      line = word
    }
    while (widthOf(line) > width) {
      const head = takeWidth(line, width)
      lines.push(head)
      line = line.slice(head.length)
    }
  }
  return line === '' ? lines : [...lines, line]
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u

/** The number of terminal columns of a character. */
const widthOfCharacter = (character: string): number => (/\p{M}/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1)

/** The number of terminal columns of a text. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const character of text) width += widthOfCharacter(character)
  return width
}

/** The start of a text that fits; at least one character. */
export function takeWidth(text: string, width: number): string {
  let used = 0
  let taken = ''
  for (const character of text) {
    used += widthOfCharacter(character)
    if (used > width && taken !== '') return taken
    taken += character
  }
  return taken
}
