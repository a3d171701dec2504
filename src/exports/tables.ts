/** Tables in the databases of export destinations: the columns of events, names, and the ledger of delivered ranges. */
import { invalid } from '../errors.ts'
import { EVENT_COLUMNS as c } from '../events/extract.ts'
import type { Column } from '../events/lines.ts'
import { permanentError, type Receiver, type Tools } from './destination.ts'

/** The columns of events without a query. */
export const TABLE_COLUMNS: readonly Column[] = [
  c.uuid,
  c.event,
  c.properties,
  c.elements,
  c.set,
  c.set_once,
  c.distinct_id,
  c.team_id,
  c.ip,
  c.site_url,
  c.timestamp,
]

/** The same with `elements` as text instead of JSON. */
export const TABLE_COLUMNS_WITH_TEXT: readonly Column[] = TABLE_COLUMNS.map((column) =>
  column === c.elements ? { ...c.elements_chain, name: column.name } : column,
)

export const EVENT_KEY = ['team_id', 'uuid']

/** The table that records delivered ranges, for tables without a unique key. */
export const LEDGER = 'workspace_admin_ledger'

/** Throws if the table lacks a column. */
export function requireColumns(
  columns: readonly Pick<Column, 'name'>[],
  exists: (name: string) => boolean,
  hint = '',
): void {
  const missing = columns.filter(({ name }) => !exists(name)).map(({ name }) => `"${name}"`)
  if (missing.length)
    throw permanentError(
      `The table has no column ${missing.join(', ')}. ${hint}Add the missing columns, or use another table.`,
    )
}

/** Discards the rows of a range that was delivered before. */
export const discardReceiver = ({ log }: Tools, end: () => unknown, abort: () => unknown): Receiver => ({
  write: async () => undefined,
  bytes: () => 0,
  commit: async () => {
    log('INFO', 'The ledger shows that this range was already delivered. No rows were inserted.')
    await end()
    return 0
  },
  abort: async () => void (await abort()),
})

/** Throws if the name is that of the ledger. */
export function requireUnreservedName(table_name: string | undefined): void {
  if (table_name === LEDGER)
    throw invalid(
      'destination__config__table_name',
      `"${LEDGER}" is reserved for the delivery ledger. Use another table.`,
    )
}

export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Truncates at a character boundary. */
export function truncate(text: string, max_bytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= max_bytes) return text
  let end = max_bytes
  while ((bytes.readUInt8(end) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}
