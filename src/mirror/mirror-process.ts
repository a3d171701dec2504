/**
 * The child process that answers questions from the segments of a project and the events above them. It replies as the
 * process that reads SQLite does. Whatever it cannot answer exactly is `not_mirrored`, and the question is answered from rows.
 */
import { join } from 'node:path'
import type { DuckDBPreparedStatement, DuckDBValue } from '@duckdb/node-api'
import { connectToParent } from '../background/parent.ts'
import { errorCode } from '../errors.ts'
import { MESSAGE_LENGTH, type ReaderReply, resultLimit, rowLength, type Statement } from '../events/reader-messages.ts'
import { keyOfColumn } from '../hogql/mirror-columns.ts'
import type { Sql, Value } from '../sql/template.ts'
import { deletionsQuery, mirroredToQuery, segmentsQuery } from './catalog.ts'
import { columnsOf, describeProperties } from './columns.ts'
import { BASE_COLUMNS, createDeleted, createTable, literal, openDuckdb, typeOfValue } from './duckdb.ts'
import { eventsBetween, eventsBytes, largeProperties, personsBytes, personsOf, seqsBetween } from './events.ts'
import { NOT_MIRRORED } from './messages.ts'
import { hasProperty, mergedProperty, type Properties, type Property, parseProperties } from './properties.ts'
import { openStore, type Read } from './store.ts'

/** Above the segments. More events take longer to convert than a user would wait. */
const MAX_TAIL = 10_000
/** Properties of earlier questions that stay in the table of those events. */
const MAX_TAIL_KEYS = 10
/** Distinct ids. Reading more takes longer than reading the columns of a million events. */
const MAX_PERSONS = 100_000
/** The properties of the rows that are read at once. More fill the memory of the process. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024
/** More deleted events are removed from the segments before they are used again. */
const MAX_DELETED = 50_000
/** Below it, a double multiplied by a power of ten is wrong by at most 0.375, which rounds to the right integer. */
const MAX_EXACT = 2 ** 51

const [url = '', folder = '', node = ''] = process.argv.slice(2)
const parent = connectToParent<Statement, ReaderReply>()
const store = await openStore(url)
const { connection: duckdb } = await openDuckdb()
await duckdb.run('set parquet_metadata_cache = true')

class NotMirrored extends Error {
  readonly code = NOT_MIRRORED
}

parent.onMessage((statement) => {
  run(statement).catch((error: unknown) => {
    // Its tables may be incomplete, or be what filled the memory.
    loaded = {}
    const message = error instanceof Error ? error.message : String(error)
    const code = errorCode(error) === 'result_too_large' ? 'result_too_large' : NOT_MIRRORED
    void parent.send({ failed: { message, code } })
  })
})

async function run({ text, values, project_id = 0 }: Statement): Promise<void> {
  const columnsIn = (pattern: RegExp): string[] => [
    ...new Set(text.match(pattern)?.map((name) => name.slice('e.'.length))),
  ]
  const relations = await store.snapshot(async (read) => {
    const events = await openEvents(read, project_id, columnsIn(EVENT_COLUMN))
    const persons = PERSON_COLUMN.test(text)
      ? await openPersons(read, project_id, columnsIn(PERSON_PROPERTY))
      : undefined
    return [`e as (${events})`, ...(persons ? [`p as (${persons})`] : [])]
  })
  await reply(`with ${relations.join(', ')} ${text}`, values)
}

/** Texts from outside are values, so these only find columns. */
const EVENT_COLUMN = /\be\.[pfd]_[0-9a-f]*/g
const PERSON_PROPERTY = /\bp\.[pf]_[0-9a-f]*/g
const PERSON_COLUMN = /\bp\.[a-z]/

/** The events above the segments in the table `tail`. */
interface Tail {
  project_id: number
  seqs: string
  keys: ReadonlySet<string>
  properties: Properties
}

/** The tables of the last question. They are used again while they have the right events, which never change. */
let loaded: { deleted?: string; tail?: Tail } = {}

interface Files {
  names: string[]
  properties: Properties[]
}

/** Loads what is not in files, and returns the query of all events of the project. */
async function openEvents(read: Read, project_id: number, columns: readonly string[]): Promise<string> {
  const keys = new Set(columns.map(keyOfColumn))
  const files = await readFiles(read, project_id)
  const hasDeleted = await loadDeleted(read, project_id)
  const inTable = await loadTail(read, project_id, keys)
  const parts = [...files.properties, inTable]
  for (const key of keys)
    if (!parts.every((part) => hasProperty(part, key))) throw new NotMirrored('A property is not in all segments.')
  const inFiles = `
    select ${listOf(columns, mergedOf(files.properties))} from read_parquet([${files.names.map(pathOf).join(', ')}], union_by_name = true)
    ${hasDeleted ? 'where seq not in (select seq from deleted)' : ''}`
  const inTail = `select ${listOf(columns, mergedOf([inTable]))} from tail`
  const scale = mergedOf(parts)
  const selected = columns.map((column) =>
    column.startsWith('d_') ? decimal(column, scale(keyOfColumn(column))) : column,
  )
  return `select ${[`${project_id}::bigint as project_id`, ...BASE_COLUMNS, ...selected].join(', ')}
    from (${inFiles} union all ${inTail})`
}

/** Loads the persons, and returns the query of the person of each distinct id. */
async function openPersons(read: Read, project_id: number, columns: readonly string[]): Promise<string> {
  await checkSize(read, personsBytes(project_id, MAX_PERSONS + 1))
  const rows = await personsOf(read, project_id, MAX_PERSONS + 1)
  if (rows.length > MAX_PERSONS) throw new NotMirrored('The project has too many persons.')
  const keys = new Set(columns.map(keyOfColumn))
  const persons = await columnsOf(rows, largeProperties(read, project_id), keys)
  const properties = describeProperties(persons)
  for (const key of keys) if (!hasProperty(properties, key)) throw new NotMirrored('A property of persons is too long.')
  await createTable(duckdb, 'persons', persons)
  return `select event as id, timestamp as created_at, ${listOf(columns, mergedOf([properties]))} from persons`
}

async function checkSize(read: Read, query: Sql): Promise<void> {
  const [row] = await read<[number | string | null]>(query)
  if (Number(row?.[0]) > MAX_TEXT_BYTES) throw new NotMirrored('The properties are too large.')
}

const pathOf = (name: string): string => literal(join(folder, name))

/** The texts and floats of the columns, from files or a table that may lack some. */
function listOf(columns: readonly string[], propertyOf: (key: string) => Property | undefined): string {
  const list = columns.map((column) => {
    const kind = column.startsWith('p_') ? 'p' : 'f'
    const name = `${kind}${column.slice(1)}`
    const property = propertyOf(keyOfColumn(column))
    if (kind === 'p') return property ? name : `null::varchar as ${name}`
    return property?.number ? name : `null::double as ${name}`
  })
  return [...BASE_COLUMNS, ...new Set(list)].join(', ')
}

const mergedOf =
  (parts: readonly Properties[]) =>
  (key: string): Property | undefined =>
    parts.some(({ stored }) => Object.hasOwn(stored, key)) ? mergedProperty(parts, key) : undefined

/** The cast multiplies by a power of ten and rounds. */
function decimal(column: string, property: Property | undefined): string {
  const { scale, max } = property ?? { scale: 0, max: 0 }
  if (scale === null || max * 10 ** scale >= MAX_EXACT) throw new NotMirrored('The numbers have too many digits.')
  return `cast(f${column.slice(1)} as decimal(18, ${scale})) as ${column}`
}

async function readFiles(read: Read, project_id: number): Promise<Files> {
  const segments = await read<[from: unknown, to: unknown, file: string, events: unknown, properties: string]>(
    segmentsQuery({ project_id, node }),
  )
  if (segments.length === 0) throw new NotMirrored('The project has no segments.')
  return { names: segments.map(([, , file]) => file), properties: segments.map(([, , , , text]) => propertiesOf(text)) }
}

function propertiesOf(text: string): Properties {
  const properties = parseProperties(text)
  if (!properties) throw new NotMirrored('The catalog is of another version.')
  return properties
}

/** Loads the deleted events, and returns whether there are some. */
async function loadDeleted(read: Read, project_id: number): Promise<boolean> {
  const found = await read<[seq: number | string]>(deletionsQuery({ project_id, node }, MAX_DELETED + 1))
  if (found.length > MAX_DELETED) throw new NotMirrored('Too many events are deleted.')
  const seqs = found.join()
  if (seqs !== loaded.deleted)
    await createDeleted(
      duckdb,
      found.map(([seq]) => Number(seq)),
    )
  loaded.deleted = seqs
  return found.length > 0
}

/** Loads the events above the segments, and returns the properties in the table. */
async function loadTail(read: Read, project_id: number, wanted: ReadonlySet<string>): Promise<Properties> {
  const [row] = await read<[number | string]>(mirroredToQuery({ project_id, node }))
  const positions = { project_id, from: Number(row?.[0] ?? 0) }
  const found = await read<[number | string]>(seqsBetween(positions, MAX_TAIL + 1))
  if (found.length > MAX_TAIL) throw new NotMirrored('The mirror is behind.')
  const seqs = found.join()
  const last = loaded.tail?.project_id === project_id ? loaded.tail : undefined
  const all = new Set([...wanted, ...(last?.keys ?? [])])
  if (last?.seqs === seqs && last.keys.size === all.size) return last.properties
  const keys = all.size > MAX_TAIL_KEYS ? wanted : all
  await checkSize(read, eventsBytes(positions, MAX_TAIL))
  const rows = await eventsBetween(read, positions, MAX_TAIL)
  const columns = await columnsOf(rows, largeProperties(read, project_id), keys)
  await createTable(duckdb, 'tail', columns)
  loaded.tail = { project_id, seqs, keys, properties: describeProperties(columns) }
  return loaded.tail.properties
}

/** Sends the rows of a query. */
async function reply(text: string, values: readonly Value[]): Promise<void> {
  const statement = await duckdb.prepare(text)
  try {
    await send(statement, values)
  } finally {
    statement.destroySync()
  }
}

async function send(statement: DuckDBPreparedStatement, values: readonly Value[]): Promise<void> {
  // A statement over events has no binary values.
  statement.bind(values as DuckDBValue[], values.map(typeOfValue))
  const result = await statement.stream()
  const checkLimit = resultLimit()
  let rows: unknown[][] = []
  let length = 0
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk())
    for (const cells of chunk.getRows()) {
      const row = cells.map((cell) => (typeof cell === 'bigint' ? Number(cell) : cell))
      checkLimit(row)
      rows.push(row)
      length += rowLength(row)
      if (length < MESSAGE_LENGTH) continue
      await parent.send({ rows, more: true })
      rows = []
      length = 0
    }
  await parent.send({ rows, more: false })
}
