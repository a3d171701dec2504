/** Events and questions for tests of the mirror, and the contents of its files. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'

/** Small enough to reach every step with few events. */
export const MIRROR_LIMITS = {
  min_events: 20,
  min_segment: 10,
  max_segment: 40,
  merged_segments: 3,
  max_merged: 1_000,
}

const START = Date.parse('2025-12-01T10:30:00Z')

/** An event of one of 7 persons. */
export const mirroredEvent = (i: number) => ({
  event: i % 3 === 0 ? 'paid' : 'seen',
  distinct_id: `person ${i % 7}`,
  timestamp: new Date(START + i * 31 * 60_000).toISOString(),
  properties: {
    n: i,
    price: i / 10,
    plan: i % 2 ? 'free' : 'pro',
    note: `secret of person ${i % 7}`,
    ...(i % 5 === 0 && { rare: `r${i}` }),
    $set: { level: i % 7 < 3 ? 'gold' : null, age: i % 7 },
  },
})

export const mirroredEvents = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => mirroredEvent(from + i))

export const QUESTIONS = [
  'select person.properties.level, count(), uniq(person_id) from events group by person.properties.level',
  'select person_id, max(timestamp), min(person.created_at) from events where toFloat(person.properties.age) > 3 group by person_id',
  'select properties.plan, count() from events group by properties.plan order by properties.plan',
  "select properties.plan, uniqIf(distinct_id, event = 'paid'), uniqIf(distinct_id, event = 'seen') from events group by properties.plan",
  'select event, sum(toFloat(properties.price)) from events group by event order by 2',
  'select properties.rare, count() from events group by properties.rare',
  'select properties.missing, count() from events group by properties.missing',
  "select count() from events where properties.n > 12 and properties.plan = 'pro'",
  'select distinct_id, properties.note, count(), min(timestamp), max(toInt(properties.n)) from events group by 1, 2',
] as const

/** The question in a form that only rows answer. */
export const fromRows = (question: string): string =>
  question.includes(' where ')
    ? question.replace(' where ', " where elements_chain != 'none' and ")
    : question.replace(' from events', " from events where elements_chain != 'none'")

/** All values of all Parquet files in a folder, complete or not, and their bytes. */
export async function readMirrorFolder(folder: string): Promise<{ names: string[]; text: string }> {
  const names = readdirSync(folder).filter((name) => name.includes('.parquet'))
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const texts: string[] = []
  for (const name of names) {
    const file = join(folder, name)
    texts.push(readFileSync(file, 'latin1'))
    const rows = await connection.runAndReadAll(`select * from read_parquet('${file}')`)
    texts.push(JSON.stringify(rows.getRowsJson()))
  }
  connection.closeSync()
  instance.closeSync()
  return { names, text: texts.join('\n') }
}
