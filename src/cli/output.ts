/** Prints responses: as tables and fields for people, as JSON, JSON lines or CSV for programs. */
import { type Command, Option } from 'commander'
import { cellText, csvRow } from '../api/csv.ts'
import type { OpenApiSchema } from '../contract/document.ts'
import { type Operation, resolve } from '../contract/table.ts'
import { type Body, isBody, rowsOf } from './client.ts'
import { columnsOf, nestedColumns, valueAt } from './columns.ts'
import { fieldsOf } from './inputs.ts'
import {
  isJson,
  isList,
  type JsonFlags,
  type JsonOutput,
  jsonOutput,
  printJson,
  select,
  withJsonOptions,
} from './json-output.ts'
import { type Column, fields, printRows, table } from './print.ts'
import { note, print, printable, write, writeJson } from './streams.ts'

export { note, write }

const FORMATS = ['table', 'json', 'ndjson', 'csv'] as const
type Format = (typeof FORMATS)[number]

export interface OutputFlags extends JsonFlags {
  output?: Format
  fields?: string
}

export interface Output extends JsonOutput {
  format: Format
}

/** `known` are the fields of the rows. Empty if only the response tells them. */
export const withOutputOptions = (command: Command, known: readonly string[] = []): Command =>
  withJsonOptions(
    command
      .addOption(
        new Option(
          '-o, --output <format>',
          'the format; json is the response body unchanged, ndjson has one row per line',
        ).choices(FORMATS),
      )
      .option('--fields <list>', 'only these fields, such as id,user.email'),
    known,
    'the same as --output json, with --fields if given',
  )

export function readOutput(flags: OutputFlags): Output {
  return { format: flags.output ?? (isJson(flags) ? 'json' : 'table'), ...jsonOutput(flags) }
}

/** Whether the body of the response is printed as it arrives. */
export const isUnchanged = ({ format, fields, jq, raw }: Output): boolean =>
  format === 'json' && !fields && jq === undefined && !raw

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

/** The names of the fields of a row. Empty if the contract does not say. */
export function fieldNames(operation: Operation): string[] {
  if (operation.id === 'project_batch_exports.preview') return []
  const row = rowSchema(operation)
  return row ? Object.keys(fieldsOf(row.schema).properties) : []
}

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
  json: (output) => (output.jq === undefined && !output.raw ? streamJson(output) : collectJson(output)),
  ndjson: (output) => ({
    body: async (body) => {
      const { fields: paths, jq, raw } = output
      const rows = isList(body) ? rowsOf(body) : [body]
      if (jq !== undefined || raw) {
        for (const row of rows) await printJson(row, output)
        return
      }
      await write(rows.map((row) => `${JSON.stringify(paths ? select(row, paths) : row)}\n`).join(''))
    },
    end: async () => undefined,
  }),
  csv: printCsv,
}

function printTable({ fields: paths }: Output, operation: Operation | undefined): Printer {
  const rows: Body[] = []
  let isRows = false
  return {
    body: async (body) => {
      if (!isList(body)) {
        const shown = paths ? select(body, paths) : body
        return write(`${isBody(shown) ? fields(shown, nestedColumns) : printable(JSON.stringify(shown))}\n`)
      }
      isRows = true
      const columns = isBody(body) && Array.isArray(body.columns)
      rows.push(...rowsOf(body))
      if (columns) operation = undefined
    },
    end: async () => {
      if (!isRows) return
      if (rows.length === 0) return note('None.')
      const chosen = paths?.map((path): Column => ({ heading: path, value: (row) => valueAt(row, path) }))
      if (chosen) return print(table(rows, chosen))
      printRows(rows, columnsOf(operation && rowSchema(operation)?.name), '--fields <list>')
    },
  }
}

/** Expressions and single values need the whole list. */
function collectJson(output: Output): Printer {
  const bodies: unknown[] = []
  return {
    body: async (body) => {
      bodies.push(body)
    },
    end: () => {
      const [first] = bodies
      if (bodies.length === 1) return printJson(first, output)
      const rows = bodies.flatMap(rowsOf)
      return printJson(isBody(first) && !Array.isArray(first) ? { ...wholePage(first), results: rows } : rows, output)
    },
  }
}

/** Several pages become one page with all results. */
function streamJson({ fields: paths }: Output): Printer {
  let end: string | undefined
  return {
    body: async (body) => {
      if (!isList(body)) return writeJson(`${JSON.stringify(paths ? select(body, paths) : body)}\n`)
      const rows = paths
        ? rowsOf(body).map((row) => select(row, paths))
        : Array.isArray(body)
          ? body
          : Object(body).results
      const text = rows.map((row: unknown) => JSON.stringify(row)).join(',')
      if (end !== undefined) return writeJson(text === '' ? '' : `,${text}`)
      const isPage = !paths && isBody(body) && !Array.isArray(body)
      const head = isPage ? JSON.stringify(wholePage(body)).slice(0, -2) : '['
      end = isPage ? ']}' : ']'
      await writeJson(head + text)
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
  const print = isJsonResponse(response) ? writeJson : write
  const keepsBytes = print === write && !process.stdout.isTTY
  const decoder = new TextDecoder()
  let last = '\n'
  for await (const chunk of response.body ?? []) {
    if (keepsBytes) {
      last = String.fromCharCode(chunk.at(-1) ?? 0)
      if (!process.stdout.write(chunk)) await new Promise((resume) => process.stdout.once('drain', resume))
    } else {
      const text = decoder.decode(chunk, { stream: true })
      last = text.at(-1) ?? last
      await print(text)
    }
  }
  if (last !== '\n') process.stdout.write('\n')
}

export const isJsonResponse = ({ headers }: Response): boolean =>
  /^application\/json\b/.test(headers.get('content-type') ?? '')
