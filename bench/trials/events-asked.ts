import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { NICENESS } from '../../src/events/readers.ts'
import type { Trial } from '../trial.ts'
import { answer, nameOf, percentile, timed, type Workspace, workspaceOf } from '../workspace.ts'

const PAGES = 100
const [FEW, SCANNED, MANY] = [50_000, 1_000_000, 5_000_000]
const counted = (count: number): string => `${count.toLocaleString('en')} events`

let [few, scanned, many]: Workspace[] = []

const listOf = ({ project_id }: Workspace, query: Record<string, string>): string =>
  `/api/projects/${project_id}/events/?${new URLSearchParams(query)}`

const FIRST_PAGES: Record<string, Record<string, string>> = {
  'first page': {},
  'of one name': { event: nameOf(2) },
  'of a range of time': { after: '-20d', before: '-10d' },
  'of a name in a range': { event: nameOf(2), after: '-20d', before: '-10d' },
}

/** The middle one of many, which a busy neighbour disturbs less than their sum. */
const pages = (of: () => Workspace, query: Record<string, string>) => async (): Promise<number> => {
  const times: number[] = []
  for (let i = 0; i < PAGES; i++) times.push(await timed(() => answer(of(), listOf(of(), query))))
  return percentile(times, 0.5)
}

export const firstPage: Trial = {
  name: 'events.page',
  why: 'A first page costs what it shows, not what is stored.',
  rounds: 7,
  setup: async () => {
    few = await workspaceOf(FEW)
    many = await workspaceOf(MANY)
    return undefined
  },
  contestants: Object.fromEntries(
    Object.entries(FIRST_PAGES).flatMap(([name, query]) => [
      [`${name}, ${counted(FEW)}`, pages(() => few!, query)],
      [`${name}, ${counted(MANY)}`, pages(() => many!, query)],
    ]),
  ),
  bars: Object.keys(FIRST_PAGES).map((name) => ({
    subject: `${name}, ${counted(MANY)}`,
    against: `${name}, ${counted(FEW)}`,
    atMost: 1.5,
  })),
}

/** The same question to the server and, as somebody who knows the tables would write it, to the file. */
const QUESTIONS: Record<string, { query: Record<string, string>; sql: string }> = {
  'a property nobody has': {
    query: { properties: JSON.stringify([{ key: 'plan', value: 'none' }]) },
    sql: `select * from events where project_id = 1 and properties ->> '$.plan' = 'none'
      order by timestamp desc, uuid desc limit 101`,
  },
  'a number out of reach': {
    query: { properties: JSON.stringify([{ key: 'price', value: 1000, operator: 'gt' }]) },
    sql: `select * from events where project_id = 1 and properties ->> '$.price' > 1000
      order by timestamp desc, uuid desc limit 101`,
  },
  'HogQL in where': {
    query: { where: "properties.plan = 'none'" },
    sql: `select * from events where project_id = 1 and properties ->> '$.plan' = 'none'
      order by timestamp desc, uuid desc limit 101`,
  },
  'a count': {
    query: { select: 'count()', where: "properties.plan = 'free'" },
    sql: `select count(*) from events where project_id = 1 and properties ->> '$.plan' = 'free'`,
  },
  'a sum by name': {
    query: { select: JSON.stringify(['event', 'sum(toFloat(properties.price))']) },
    sql: `select event, sum(properties ->> '$.price') from events where project_id = 1 group by event order by 2 desc`,
  },
}

const BY_HAND = `
  const [file, sql] = process.argv.slice(1)
  const db = require('better-sqlite3')(file, { readonly: true })
  const start = performance.now()
  db.prepare(sql).all()
  console.log(performance.now() - start)`

/** As nice as a reader of the server is: else a busy neighbour would hurt only one of the two. */
async function byHand(sql: string): Promise<number> {
  const child = spawn(process.execPath, ['-e', BY_HAND, scanned!.file, sql], { stdio: ['ignore', 'pipe', 'inherit'] })
  setPriority(child.pid!, NICENESS)
  return Number(await text(child.stdout))
}

export const propertyFilter: Trial = {
  name: 'events.filter',
  why: `A question that has to look into ${counted(SCANNED)} takes as long as looking does.`,
  rounds: 3,
  setup: async () => {
    scanned = await workspaceOf(SCANNED)
    return undefined
  },
  contestants: Object.fromEntries(
    Object.entries(QUESTIONS).flatMap(([name, { query, sql }]) => [
      [`${name}, by hand`, () => byHand(sql)],
      [`${name}, over HTTP`, () => timed(() => answer(scanned!, listOf(scanned!, query)))],
    ]),
  ),
  bars: Object.keys(QUESTIONS).map((name) => ({
    subject: `${name}, over HTTP`,
    against: `${name}, by hand`,
    atMost: 1.5,
  })),
}
