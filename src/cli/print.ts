/** Answers for people. Programs take --json. */

const WIDTH_WITHOUT_TERMINAL = 160
const WIDEST_CELL = 48
/** What tells rows apart comes first, so that it is still there in a narrow terminal. */
const FIRST = ['id', 'uuid', 'name', 'label', 'email', 'target_email', 'user', 'domain', 'status', 'level']

type Row = Record<string, unknown>

/** One value on one line. What others wrote must not steer the reader's terminal. */
export function text(value: unknown): string {
  const plain = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return harmless(plain.replace(/\n/g, '\\n'))
}

/** Keeps line breaks, shows every other control character instead of sending it. */
export const harmless = (line: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the point
  line.replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** `name: value` lines, the values under each other. */
export function fields(object: Row): string {
  const width = Math.max(0, ...Object.keys(object).map((name) => name.length)) + 1
  return Object.entries(object)
    .map(([name, value]) => `${`${name}:`.padEnd(width)} ${text(value)}`)
    .join('\n')
}

/** As many columns as fit, and a word about those that do not. */
export function table(rows: Row[], width = process.stdout.columns ?? WIDTH_WITHOUT_TERMINAL): string {
  const [head] = rows
  if (!head) return 'None.'
  const rank = (name: string): number => (FIRST.indexOf(name) + FIRST.length + 1) % (FIRST.length + 1)
  const names = Object.keys(head)
    .filter((name) => rows.every((row) => typeof row[name] !== 'object' || row[name] === null))
    .sort((a, b) => rank(a) - rank(b))
  const columns = names.map((name) => {
    const cells = [name, ...rows.map((row) => cell(row[name]))]
    const size = Math.max(...cells.map((one) => one.length))
    return cells.map((one) => one.padEnd(size))
  })
  let used = 0
  const fitting = columns.filter((column, i) => {
    used += column[0]!.length + 2
    return i === 0 || used - 2 <= width
  })
  const lines = rows.map((_, i) => fitting.map((column) => column[i + 1]).join('  '))
  const left = Object.keys(head).length - fitting.length
  return [
    fitting.map((column) => column[0]).join('  '),
    ...lines,
    ...(left ? [`(${left} more ${left === 1 ? 'field' : 'fields'} with --json)`] : []),
  ]
    .map((line) => line.trimEnd())
    .join('\n')
}

function cell(value: unknown): string {
  const shown = value === null || value === undefined ? '-' : text(value)
  return shown.length > WIDEST_CELL ? `${shown.slice(0, WIDEST_CELL - 1)}…` : shown
}
