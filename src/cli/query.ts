/** `query`: asks a question in HogQL, and prints a table, JSON, CSV or bars. */
import { readFileSync } from 'node:fs'
import { text as readStream } from 'node:stream/consumers'
import { Command } from 'commander'
import type { Variables } from '../config.ts'
import { parseJson } from '../json/parse.ts'
import { type Body, isBody, readJson, request, rowsOf } from './client.ts'
import { type ConnectionOptions, readConnection, withConnectionOptions } from './connection.ts'
import { EXIT_CODES_SUMMARY, usageError } from './failure.ts'
import { isJson, type JsonFlags, jsonOutput, printJson, requireFields, withJsonOptions } from './json-output.ts'
import { type ScopeFlags, scopeId, withScopeOptions } from './names.ts'
import { note, printBodies, write } from './output.ts'
import { outputWidth, singleLine, takeWidth, widthOf } from './print.ts'

interface QueryOptions extends ConnectionOptions, ScopeFlags, JsonFlags {
  value?: string[]
  after?: string
  before?: string
  explain?: boolean
  chart?: boolean
  csv?: boolean
}

const repeated = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value]

export const queryCommand = (variables: Variables): Command => {
  const command = new Command('query')
    .summary('ask a question about events, persons or sessions in HogQL')
    .description('Runs one SELECT over events, persons or sessions of a project and prints the rows.')
    .argument('<query>', 'HogQL, a file name that begins with @, or - for standard input')
    .option('--after <time>', 'only rows from this time on: ISO 8601, or relative such as -7d')
    .option('--before <time>', 'only rows before this time')
    .option('--value <name=value>', 'the value of {name} in the query, as JSON or text; can be repeated', repeated)
    .option('--chart', 'draw the last number of each row as a bar')
    .option('--csv', 'print CSV')
    .option('--explain', 'say how the query was answered, on standard error')
  withJsonOptions(command, [], 'print the response body unchanged, or only these columns')
  return withScopeOptions(withConnectionOptions(command), 'project')
    .addHelpText(
      'after',
      `
Examples:
  $ workspace-admin query 'select event, count() from events group by event' --after -7d
  $ workspace-admin query 'select toStartOfDay(timestamp) as day, count() from events
      group by day order by day' --after -30d --chart
  $ workspace-admin query "select avg(toFloat(properties.price)) from events
      where event = {name}" --value name=paid --jq '.results[0][0]'

${EXIT_CODES_SUMMARY}`,
    )
    .action((text: string, options: QueryOptions) => run(text, options, variables))
}

async function run(text: string, options: QueryOptions, variables: Variables): Promise<void> {
  const { csv = false, chart = false, explain = false } = options
  const json = isJson(options)
  if ([json, csv, chart].filter(Boolean).length > 1) throw usageError('Use one of --chart, --csv and --json.')
  const query = {
    kind: 'HogQLQuery',
    query: await readText(text),
    values: Object.fromEntries((options.value ?? []).map(readValue)),
    filters: { dateRange: { date_from: options.after ?? null, date_to: options.before ?? null } },
    explain,
  }
  const server = readConnection(variables, options)
  if (!server.key && server.withheld) note(server.withheld)
  const project = encodeURIComponent((await scopeId('project', server, options, variables)) ?? '@current')
  const path = `/api/projects/${project.replace('%40', '@')}/query/`
  const body = await readJson(server, await request(server, { method: 'POST', path, body: { query } }))
  if (json) {
    const output = jsonOutput(options)
    if (output.fields) requireFields(output.fields, columnsIn(body))
    return printJson(body, output)
  }
  if (chart) await write(bars(rowsOf(body)))
  else await printBodies(only(body), { format: csv ? 'csv' : 'table', fields: undefined })
  if (isBody(body) && body.hasMore) note(`More rows match. Add LIMIT and OFFSET; the limit was ${body.limit}.`)
  if (isBody(body) && isBody(body.explain))
    note(`Answered from ${body.explain.way}, ${body.rows_read} rows read. ${body.explain.detail}`)
}

const columnsIn = (body: unknown): string[] =>
  isBody(body) && Array.isArray(body.columns) ? body.columns.map(String) : []

async function* only(body: unknown): AsyncGenerator<unknown> {
  yield body
}

function readValue(text: string): [string, unknown] {
  const at = text.indexOf('=')
  if (at < 1) throw usageError('--value takes name=value.')
  const value = text.slice(at + 1)
  const parsed = parseJson(value)
  return [text.slice(0, at), parsed === undefined ? value : parsed]
}

async function readText(text: string): Promise<string> {
  if (text === '-') return readStream(process.stdin)
  return text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text
}

const DEFAULT_WIDTH = 80
const MIN_BAR = 10
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** One line for each row: its label, a bar and the number. */
function bars(rows: readonly Body[]): string {
  const names = Object.keys(rows[0] ?? {})
  const measure = names.findLast((name) => rows.every((row) => row[name] === null || typeof row[name] === 'number'))
  if (measure === undefined) throw usageError('--chart needs a column with numbers, such as count().')
  const labels = rows.map((row) =>
    names
      .filter((name) => name !== measure)
      .map((name) => singleLine(row[name]))
      .join('  '),
  )
  const numbers = rows.map((row) => Number(row[measure] ?? 0))
  const texts = rows.map((row) => singleLine(row[measure]))
  const width = Math.min(outputWidth(), DEFAULT_WIDTH)
  const numberWidth = Math.max(...texts.map(widthOf))
  const longest = Math.max(...labels.map(widthOf))
  const labelWidth = Math.min(longest, Math.max(0, width - numberWidth - MIN_BAR - 2))
  const largest = Math.max(...numbers.map(Math.abs))
  const lines = labels.map((label, i) => {
    const shown = widthOf(label) > labelWidth ? `${takeWidth(label, labelWidth - 1)}…` : label
    const bar = barOf(Math.abs(numbers[i] ?? 0) / (largest || 1), width - labelWidth - numberWidth - 2)
    return `${shown}${' '.repeat(labelWidth - widthOf(shown))} ${bar} ${texts[i]}\n`
  })
  return lines.join('')
}

function barOf(share: number, width: number): string {
  const eighths = Math.round(share * width * EIGHTHS.length)
  return '█'.repeat(Math.floor(eighths / EIGHTHS.length)) + (EIGHTHS[eighths % EIGHTHS.length] ?? '')
}
