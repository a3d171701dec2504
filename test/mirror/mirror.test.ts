/** The mirror of events in columns: its answers, its files, and what happens to them. */
import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { onBothEngines, type TestApp } from '../helpers/app.ts'
import { capture } from '../helpers/seeds/plugins.ts'

/** Small enough to reach every step with few events. */
const LIMITS = { min_events: 20, min_segment: 10, max_segment: 40, merged_segments: 3, max_merged: 1_000 }
const OPTIONS = { environment: { EVENT_MIRROR: 'true' }, mirrorLimits: LIMITS }

const keeper = (app: TestApp) => {
  assert.ok(app.deps.mirror, 'the mirror is on')
  return app.deps.mirror.keeper
}

const folderOf = ({ deps }: TestApp): string => deps.mirror?.folder ?? assert.fail('the mirror is on')
const filesOf = (app: TestApp): string[] => readdirSync(folderOf(app)).filter((name) => name.endsWith('.parquet'))

const event = (i: number) => ({
  event: i % 3 === 0 ? 'paid' : 'seen',
  distinct_id: `person ${i % 7}`,
  timestamp: new Date(Date.parse('2025-12-01T10:30:00Z') + i * 31 * 60_000).toISOString(),
  properties: { n: i, price: i / 10, plan: i % 2 ? 'free' : 'pro', ...(i % 5 === 0 && { rare: `r${i}` }) },
})
const events = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => event(from + i))

const ask = async (app: TestApp, query: string) => {
  const { status, body } = await app.send('POST', `/api/projects/${app.first.project_id}/query/`, {
    body: { query: { kind: 'HogQLQuery', query, explain: true } },
  })
  assert.equal(status, 200, JSON.stringify(body))
  return { rows: body.results, way: body.explain?.way }
}

const QUESTIONS = [
  'select properties.plan, count() from events group by properties.plan order by properties.plan',
  "select properties.plan, uniqIf(distinct_id, event = 'paid'), uniqIf(distinct_id, event = 'seen') from events group by properties.plan",
  'select event, sum(toFloat(properties.price)) from events group by event order by 2',
  'select properties.rare, count() from events group by properties.rare',
  'select properties.missing, count() from events group by properties.missing',
  "select count() from events where properties.n > 12 and properties.plan = 'pro'",
]
/** The question in a form that only rows answer. */
const fromRows = (query: string): string =>
  query.includes(' where ')
    ? query.replace(' where ', " where elements_chain != 'none' and ")
    : query.replace(' from events', " from events where elements_chain != 'none'")

/** Compares the answers of the mirror with those of rows. */
async function compare(t: Test, app: TestApp, name: string): Promise<void> {
  for (const question of QUESTIONS) {
    const [mirrored, rows] = [await ask(app, question), await ask(app, fromRows(question))]
    t.equal(mirrored.way, 'mirror', `${name}: ${question}`)
    t.equal(rows.way, 'rows')
    t.strictSame(mirrored.rows, rows.rows, `${name}: ${question}`)
  }
}

onBothEngines(
  t,
  'questions have the same answers from the mirror, while events arrive, segments merge and files vanish',
  async (t, app) => {
    await capture(app, events(0, 15))
    await keeper(app).work()
    t.equal((await ask(app, QUESTIONS[0]!)).way, 'rows', 'a small project is not mirrored')
    await capture(app, events(15, 30))
    app.advance(60_000)
    await keeper(app).work()
    await keeper(app).work()
    await keeper(app).work()
    await compare(t, app, 'one segment')
    await capture(app, events(30, 35))
    await compare(t, app, 'a tail')
    for (let i = 35; i < 200; i += 15) {
      await capture(app, events(i, i + 15))
      await keeper(app).work()
    }
    await compare(t, app, 'merged segments')
    app.advance(60_000)
    await keeper(app).work()
    t.ok(filesOf(app).length < 6, `${filesOf(app).length} files`)
    for (const name of filesOf(app)) rmSync(join(folderOf(app), name))
    t.equal((await ask(app, QUESTIONS[0]!)).way, 'rows', 'without its files, rows answer')
    for (let i = 0; i < 4; i++) await keeper(app).work()
    app.advance(60_000)
    for (let i = 0; i < 4; i++) await keeper(app).work()
    await compare(t, app, 'a new mirror')
  },
  OPTIONS,
)
