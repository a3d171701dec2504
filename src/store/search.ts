import { type Sql, sql } from '../sql/template.ts'

/** Ignores the case of ASCII letters only, because the engines lower-case other letters differently. */
export function contains(column: Sql, search: string): Sql {
  const wanted = search.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return sql`${{
    sqlite: sql`instr(lower(${column}), ${wanted}) > 0`,
    postgres: sql`strpos(lower(${column} collate "C"), ${wanted}) > 0`,
  }}`
}
