/** Statements whose results the drivers can read. */
import type { HogType } from '../hogql/print.ts'
import { either } from '../hogql/typed.ts'
import { joined, name, type Sql, sql } from '../sql/template.ts'
import { MAX_RESULT_LENGTH, TOO_LARGE } from './reader-messages.ts'

/** The rows `c0`, `c1`, … of a statement, without texts that the driver cannot read. */
export function guarded(types: readonly HogType[], rows: Sql): Sql {
  const cells = types.map((type, i) => {
    const cell = sql`r.${name(`c${i}`)}`
    return ['string', 'json', 'array', 'tuple'].includes(type.kind) ? limited(cell) : cell
  })
  return either(rows, sql`select ${joined(cells, ', ')} from (${rows}) r`)
}

/**
 * The PostgreSQL driver crashes on a cell above 512 MB. The statement raises an error itself,
 * by casting text to a number. SQLite's reader checks the size of each row.
 */
export const limited = (cell: Sql): Sql => {
  const fail = sql`(${TOO_LARGE}::text || octet_length(${cell}))::int::text`
  return sql`case when octet_length(${cell}) > ${MAX_RESULT_LENGTH}::int then ${fail} else ${cell} end`
}
