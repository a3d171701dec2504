/** A child process that starts an endless query in its event reader, then sends a message. */
import { createEventReader } from '../../../src/events/readers.ts'
import { openDatabase } from '../../../src/sql/open.ts'
import { sql } from '../../../src/sql/template.ts'

const url = `sqlite:${process.argv[2]}`
const events = await openDatabase(url, { file: 'events.db' })
const reader = await createEventReader({ events, url, timeout_ms: 600_000 })
const options = { project_id: 1, lane: 'slow' } as const
await reader.rows(sql`select 1`, options)
void reader.rows(
  sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 1000000000000) select count(*) from n`,
  options,
)
process.send?.('started')
