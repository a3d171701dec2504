/** Prints responses: as tables and fields for people, as JSON, JSON lines or CSV for programs. */
import { type Command, Option } from 'commander'
import { cellText, csvRow } from '../api/csv.ts'
import type { OpenApiSchema } from '../contract/document.ts'
import { type Operation, resolve } from '../contract/table.ts'
import { type Body, isBody, rowsOf } from './client.ts'
import { columnsOf, nestedColumns, valueAt } from './columns.ts'
import { usageError } from './failure.ts'
import { fieldsOf } from './inputs.ts'
import { type Column, escapeControls, fields, table } from './print.ts'

const FORMATS = ['table', 'json', 'ndjson', 'csv'] as const
type Format = (typeof FORMATS)[number]

export interface OutputFlags {
  /** `true`, or the text of a list of fields. */
  json?: boolean | string
  output?: Format
  fields?: string
}

export interface Output {
  format: Format
  /** Paths of fields, such as `user.email`. Undefined for all fields. */
  fields: string[] | undefined
}

export const withOutputOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '-o, --output <format>',
        'the format; json is the response body unchanged, ndjson has one row per line',
      ).choices(FORMATS),
    )
    .option('--fields <list>', 'only these fields, such as id,user.email')
    .option(
      '--json [fields]',
      'the same as --output json, with --fields if given; errors are JSON too, on standard error',
    )

/** Fails before anything is sent: an unknown field must not surprise after a change. */
export function readOutput({ json, output, fields: list }: OutputFlags, operation?: Operation): Output {
  const listed = typeof json === 'string' && json !== '' ? json : undefined
  if (list !== undefined && listed !== undefined) throw usageError('Use --fields or --json <fields>, not both.')
  if (json !== undefined && output !== undefined && output !== 'json')
    throw usageError(`--json cannot be combined with --output ${output}. Use --output ${output} --fields <list>.`)
  const fieldList = (list ?? listed)?.split(',').map((field) => field.trim())
  if (fieldList?.includes('')) throw usageError('The list of fields contains an empty name.')
  const known = operation && fieldNames(operation)
  const unknown = known?.length ? fieldList?.find((field) => !known.includes(field.split('.', 1)[0] ?? '')) : undefined
  if (unknown !== undefined) throw usageError(`"${unknown}" is not a field. Choose from ${known?.join(', ')}.`)
  return { format: output ?? (json === undefined ? 'table' : 'json'), fields: fieldList }
}

/** The schema of the rows of a list, or of the body. */
export function rowSchema({ response }: Operation): { name: string | undefined; schema: OpenApiSchema } | undefined {
  const body = response.content?.['application/json']?.schema
  if (!body) return undefined
  const { properties } = fieldsOf(body)
  const items = resolve(body).items ?? properties.results?.items ?? arrayIn(body)
  // The rows of events are records or, with `select`, lists.
  const [row = body] = items ? (resolve(items).anyOf ?? [items]) : []
  return { name: row.$ref?.split('/').at(-1), schema: row }
}

/** `invites.bulk` responds with one invite or an array. */
const arrayIn = (body: OpenApiSchema): OpenApiSchema | undefined =>
  (resolve(body).oneOf ?? []).map((one) => resolve(one).items).find((items) => items !== undefined)

/** The names of the fields of a row. Empty if the contract does not say, or `select` decides. */
export function fieldNames(operation: Operation): string[] {
  if (operation.id === 'events.list' || operation.id === 'project_batch_exports.preview') return []
  const row = rowSchema(operation)
  return row ? Object.keys(fieldsOf(row.schema).properties) : []
}

const isList = (body: unknown): boolean => Array.isArray(body) || (isBody(body) && Array.isArray(body.results))

/** Writes to standard output. Only a terminal gets text without control characters: files keep the exact bytes. */
export async function write(text: string): Promise<void> {
  const safe = process.stdout.isTTY ? escapeControls(text) : text
  if (!process.stdout.write(safe)) await new Promise((resume) => process.stdout.once('drain', resume))
}

/** Notes for people, which programs that read standard output do not see. */
export const note = (text: string): void => console.error(text)

/** Prints one body, or the pages of a list as one list. */
export async function printBodies(
  bodies: AsyncIterable<unknown>,
  output: Output,
  operation?: Operation,
): Promise<number> {
  const print = PRINTERS[output.format](output, operation)
  let count = 0
  for await (const body of bodies) {
    count += isList(body) ? rowsOf(body).length : 1
    await print.body(body)
  }
  await print.end()
  return count
}

interface Printer {
  body(body: unknown): Promise<void>
  end(): Promise<void>
}

const PRINTERS: Record<Format, (output: Output, operation: Operation | undefined) => Printer> = {
  table: printTable,
  json: printJson,
  ndjson: ({ fields: paths }) => ({
    body: async (body) => {
      const rows = isList(body) ? rowsOf(body) : [body]
      await write(rows.map((row) => `${JSON.stringify(select(row, paths))}\n`).join(''))
    },
    end: async () => undefined,
  }),
  csv: printCsv,
}

const select = (row: unknown, paths: string[] | undefined): unknown =>
  paths ? Object.fromEntries(paths.map((path) => [path, valueAt(row, path) ?? null])) : row

function printTable({ fields: paths }: Output, operation: Operation | undefined): Printer {
  const rows: Body[] = []
  let isRows = false
  return {
    body: async (body) => {
      if (!isList(body)) {
        const shown = paths ? select(body, paths) : body
        return write(`${isBody(shown) ? fields(shown, nestedColumns) : JSON.stringify(shown)}\n`)
      }
      isRows = true
      const columns = isBody(body) && Array.isArray(body.columns)
      rows.push(...rowsOf(body))
      if (columns) operation = undefined
    },
    end: async () => {
      if (!isRows) return
      if (rows.length === 0) return note('None.')
      const name = operation && rowSchema(operation)?.name
      const columns = paths?.map((path): Column => ({ heading: path, value: (row) => valueAt(row, path) }))
      await write(`${table(rows, columns ?? columnsOf(name))}\n`)
    },
  }
}

/** Several pages become one page with all results. */
function printJson({ fields: paths }: Output): Printer {
  let end: string | undefined
  return {
    body: async (body) => {
      if (!isList(body)) return write(`${JSON.stringify(select(body, paths))}\n`)
      const rows = paths
        ? rowsOf(body).map((row) => select(row, paths))
        : Array.isArray(body)
          ? body
          : Object(body).results
      const text = rows.map((row: unknown) => JSON.stringify(row)).join(',')
      if (end !== undefined) return write(text === '' ? '' : `,${text}`)
      const isPage = !paths && isBody(body) && !Array.isArray(body)
      const head = isPage ? JSON.stringify(wholePage(body)).slice(0, -2) : '['
      end = isPage ? ']}' : ']'
      await write(head + text)
    },
    end: async () => {
      if (end !== undefined) await write(`${end}\n`)
    },
  }
}

/** The page without links to other pages, and with `results` as its last key. */
const wholePage = ({ results, ...rest }: Body): Body => ({
  ...rest,
  next: null,
  ...('previous' in rest && { previous: null }),
  results: [],
})

function printCsv({ fields: paths }: Output, operation: Operation | undefined): Printer {
  let names = paths
  let isHeadPrinted = false
  return {
    body: async (body) => {
      const rows = isList(body) ? rowsOf(body) : [body]
      if (!names) {
        const [first] = rows
        names = isBody(first) ? Object.keys(first) : operation ? fieldNames(operation) : []
      }
      const line = (cells: unknown[]): string => csvRow(cells.map(cellText))
      const columns = names
      const head = isHeadPrinted ? '' : line(columns)
      isHeadPrinted = true
      await write(
        head +
          rows.map((row) => line(columns.map((name) => (paths ? valueAt(row, name) : Object(row)[name])))).join(''),
      )
    },
    end: async () => undefined,
  }
}

/** Streams the response body to standard output and ends it with a line break. */
export async function printRaw(response: Response): Promise<void> {
  const decoder = new TextDecoder()
  let last = '\n'
  for await (const chunk of response.body ?? []) {
    if (process.stdout.isTTY) {
      const text = decoder.decode(chunk, { stream: true })
      last = text.at(-1) ?? last
      await write(text)
    } else {
      last = String.fromCharCode(chunk.at(-1) ?? 0)
      if (!process.stdout.write(chunk)) await new Promise((resume) => process.stdout.once('drain', resume))
    }
  }
  if (last !== '\n') process.stdout.write('\n')
}
