/** Output for people; scripts use --json. */

const WIDTH_WITHOUT_TERMINAL = 160
const MAX_CELL_WIDTH = 48
/** Identifying columns come first, so a narrow terminal still shows them. */
const FIRST_COLUMNS = ['id', 'uuid', 'name', 'label', 'email', 'target_email', 'user', 'domain', 'status', 'level']

type Row = Record<string, unknown>

/** One value on one line. */
export function singleLine(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return escapeControls(text.replace(/\n/g, '\\n'))
}

/** Escapes control characters except line breaks: stored text must not send escape sequences to the terminal. */
export const escapeControls = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the point
  text.replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Aligned `name: value` lines. */
export function fields(object: Row): string {
  const width = Math.max(0, ...Object.keys(object).map((name) => name.length)) + 1
  return Object.entries(object)
    .map(([name, value]) => `${`${name}:`.padEnd(width)} ${singleLine(value)}`)
    .join('\n')
}

/** As many columns as fit, and the number of omitted ones. */
export function table(rows: Row[], width = process.stdout.columns ?? WIDTH_WITHOUT_TERMINAL): string {
  const [head] = rows
  if (!head) return 'None.'
  const rank = (name: string): number =>
    (FIRST_COLUMNS.indexOf(name) + FIRST_COLUMNS.length + 1) % (FIRST_COLUMNS.length + 1)
  const columns = Object.keys(head)
    .filter((name) => rows.every((row) => typeof row[name] !== 'object' || row[name] === null))
    .sort((a, b) => rank(a) - rank(b))
    .map((name) => {
      const cells = [name, ...rows.map((row) => cell(row[name]))]
      return { cells, width: Math.max(...cells.map((text) => text.length)) }
    })
  let used = 0
  const fitting = columns.filter((column, i) => {
    used += column.width + 2
    return i === 0 || used - 2 <= width
  })
  const lines = [head, ...rows].map((_, i) =>
    fitting
      .map((column) => column.cells[i]?.padEnd(column.width))
      .join('  ')
      .trimEnd(),
  )
  const omitted = Object.keys(head).length - fitting.length
  return [...lines, ...(omitted ? [`(${omitted} more ${omitted === 1 ? 'field' : 'fields'} with --json)`] : [])].join(
    '\n',
  )
}

function cell(value: unknown): string {
  const text = value === null || value === undefined ? '-' : singleLine(value)
  return text.length > MAX_CELL_WIDTH ? `${text.slice(0, MAX_CELL_WIDTH - 1)}…` : text
}
