/** Reads the tables of a PostgreSQL database from its catalog. */
import type { Db } from './db.ts'
import { sql } from './template.ts'

export interface Column {
  name: string
  type: string
}

export interface Table {
  name: string
  columns: Column[]
  /** The primary key, or a unique index over all rows. */
  key: string[]
  /** The identity column. */
  identity: string | null
  /** The columns of every unique index, including the key and partial indexes. */
  unique: string[][]
  /** The tables that its foreign keys reference. */
  references: string[]
}

/** Returns every table of the schema, each after the tables it references. */
export async function describeTables(db: Db): Promise<Table[]> {
  const columns = await db.all<Column & { of: string; identity: boolean }>(sql`
    select c.relname as of, a.attname as name, format_type(a.atttypid, null) as type, a.attidentity <> '' as identity
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::text::regnamespace
      and a.attnum > 0 and not a.attisdropped
    order by c.relname, a.attnum`)
  const indexes = await db.all<{ of: string; columns: string[]; whole: boolean }>(sql`
    select i.indrelid::regclass::text as of, i.indpred is null as whole,
      (select json_agg(a.attname order by k.nth) from unnest(i.indkey::int2[]) with ordinality k (number, nth)
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number) as columns
    from pg_index i join pg_class c on c.oid = i.indrelid
    where i.indisunique and c.relnamespace = current_schema()::text::regnamespace
    order by i.indisprimary desc, i.indexrelid`)
  const references = await db.all<{ of: string; to: string }>(sql`
    select distinct f.conrelid::regclass::text as of, f.confrelid::regclass::text as to from pg_constraint f
    where f.contype = 'f' and f.connamespace = current_schema()::text::regnamespace order by 1, 2`)
  const tables = [...new Set(columns.map(({ of }) => of))].map((name): Table => {
    const mine = columns.filter(({ of }) => of === name)
    const unique = indexes.filter(({ of }) => of === name)
    return {
      name,
      columns: mine.map(({ name, type }) => ({ name, type })),
      key: unique.find(({ whole }) => whole)?.columns ?? [],
      identity: mine.find(({ identity }) => identity)?.name ?? null,
      unique: unique.map(({ columns }) => columns),
      references: references.filter(({ of }) => of === name).map(({ to }) => to),
    }
  })
  return inOrder(tables)
}

function inOrder(tables: Table[]): Table[] {
  const placed = new Set<Table>()
  const add = (table: Table): void => {
    if (placed.has(table)) return
    for (const other of tables) if (other !== table && table.references.includes(other.name)) add(other)
    placed.add(table)
  }
  for (const table of tables) add(table)
  return [...placed]
}
