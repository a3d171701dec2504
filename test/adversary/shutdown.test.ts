/** SIGTERM stops a server within its deadline, even under attack. */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { ENGINES } from '../helpers/app.ts'
import { bySize, figure, inTurn } from '../helpers/assertions/figures.ts'
import { cycled, pick } from '../helpers/assertions/items.ts'
import { seeded } from '../helpers/seeds/seeded.ts'
import { CAPTURE_BODIES, JSON_BODIES } from './malicious-bodies.ts'
import { EXPRESSIONS, TEXTS } from './malicious-texts.ts'
import { openTarget, type Request, type World } from './target.ts'

const SEED = Number(process.env.SEED ?? 20260902)
const ROUNDS = bySize({ quick: 1, full: 2, prove: 30 })
const CONCURRENCY = 12
const SHUTDOWN_SECONDS = 5
/** A margin for busy machines. */
const GRACE_SECONDS = 5
t.setTimeout(bySize({ full: 10, prove: 60 }) * 60_000)

/** Random attacks as requests. */
function requests(world: World, random: () => number): Request[] {
  const choose = <Item>(items: readonly Item[]): Item => pick(items, random)
  const events = `/api/projects/${world.project_id}/events/`
  const kinds: (() => Request)[] = [
    () => {
      const { query = '', ...body } = choose(Object.values(CAPTURE_BODIES))(choose([900_000, 20_000_000]), world)
      return { method: 'POST', path: `/capture/${query}`, anonymous: true, ...body }
    },
    () => ({
      method: 'PATCH',
      path: `/api/organizations/${world.organization_id}/`,
      headers: { 'content-type': 'application/json' },
      body: choose(Object.values(JSON_BODIES))(1_000_000),
    }),
    () => ({
      method: 'GET',
      path: `${events}?select=${encodeURIComponent(choose(Object.values(EXPRESSIONS))(3_000))}`,
    }),
    () => ({
      method: 'POST',
      path: `/api/organizations/${world.organization_id}/pipeline_destinations/`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ source: { 'index.ts': choose(Object.values(TEXTS))(300_000) } }),
    }),
  ]
  return Array.from({ length: CONCURRENCY }, (_, i) => cycled(kinds, i)())
}

t.comment(`SEED=${SEED}`)

for (const engine of inTurn(ENGINES))
  t.test(`SIGTERM stops a server under attack (${engine})`, async (t) => {
    const random = seeded(SEED)
    let slowest_ms = 0
    for (let round = 0; round < ROUNDS; round++)
      await t.test(`round ${round + 1}`, async (t) => {
        const target = await openTarget(t, engine, { SHUTDOWN_SECONDS: String(SHUTDOWN_SECONDS) })
        const child = target.child()
        const exited = once(child, 'exit')
        const pending = requests(target.world, random).map((request) => target.send(request).catch(() => undefined))
        await pause(random() * 500)
        const started = performance.now()
        child.kill('SIGTERM')
        const deadline_ms = (SHUTDOWN_SECONDS + GRACE_SECONDS) * 1_000
        const late = new AbortController()
        const end = await Promise.race([exited, pause(deadline_ms, 'late', late)])
        late.abort()
        t.not(end, 'late', 'the server exits in time')
        slowest_ms = Math.max(slowest_ms, performance.now() - started)
        if (end === 'late') child.kill('SIGKILL')
        await Promise.all(pending)
      })
    figure(t, {
      area: 'Malicious input',
      count: ROUNDS,
      of: `shutdowns during ${CONCURRENCY} concurrent attacks`,
      result: `each within the deadline of ${SHUTDOWN_SECONDS} s, the slowest after ${Math.round(slowest_ms)} ms`,
      seed: SEED,
    })
  })
