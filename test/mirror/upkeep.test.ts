/** What keeps the files, the catalog and the answers of a mirror right when something unusual happens. */
import t from 'tap'
import { buildDeps } from '../../src/deps.ts'
import { resetMirror } from '../../src/events/mirrors.ts'
import * as catalog from '../../src/mirror/catalog.ts'
import { sql } from '../../src/sql/template.ts'
import { onBothEngines, openApp } from '../helpers/app.ts'
import { compare, compareRows, mirrorEvents, OPTIONS, ownerOf } from '../helpers/mirrored.ts'
import { mirroredEvents } from '../helpers/seeds/mirror.ts'
import { capture } from '../helpers/seeds/plugins.ts'

const MANY_DELETIONS = 4_000

onBothEngines(
  t,
  'many deletions are removed in a moment',
  async (t, app) => {
    const { events } = app.deps
    const owner = { project_id: app.first.project_id, node: 'node' }
    await events.run(sql`
      insert into mirror_deletions (project_id, node, position, seq)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${MANY_DELETIONS})
      select ${owner.project_id}, ${owner.node}, n, n from numbers`)
    const all = { from_position: 0, to_position: MANY_DELETIONS + 1 }
    const deleted = await catalog.listDeletions(events, owner, all, MANY_DELETIONS)
    t.equal(deleted.length, MANY_DELETIONS)
    const start = performance.now()
    await catalog.removeDeletions(events, owner, deleted.slice(1))
    // It took 22 s when SQLite looked up each `seq` at each position.
    t.ok(performance.now() - start < 5_000)
    t.strictSame(await catalog.listDeletions(events, owner, all, MANY_DELETIONS), deleted.slice(0, 1))
  },
  OPTIONS,
)

t.test('a mirror continues after a restore into another cluster', async (t) => {
  const app = await openApp(t, 'postgres', OPTIONS)
  const { events } = app.deps
  const restart = async (): Promise<void> => {
    const restored = await buildDeps({ config: app.deps.config, log: app.deps.log, processes: app.deps.processes })
    await restored.dispose()
  }
  await capture(app, mirroredEvents(0, 30))
  await mirrorEvents(app)
  // Simulates a cluster with higher transaction ids.
  await events.run(sql`update mirrors set mirrored_to = ${1_000_000_000}`)
  await events.run(sql`update mirror_segments set to_position = ${1_000_000_000}`)
  await restart()
  await capture(app, mirroredEvents(30, 35))
  await compare(t, app, 'events after the restore')
  await resetMirror(events, ownerOf(app))
  await events.run(sql`update mirrors set ready_position = ${2_000_000_000}`)
  await restart()
  await capture(app, mirroredEvents(35, 50))
  await mirrorEvents(app)
  await compare(t, app, 'a mirror that began again')
})

onBothEngines(
  t,
  'sums of large numbers with many decimal places are those of rows',
  async (t, app) => {
    const price = (event: string, price: number) => ({ event, properties: { price } })
    await capture(app, [price('large', 8622433189.2), price('small', 0.000001), ...mirroredEvents(0, 30)])
    await mirrorEvents(app)
    await compareRows(t, app, 'sums', [
      'select event, sum(toFloat(properties.price)) from events group by event order by 1',
    ])
  },
  OPTIONS,
)
