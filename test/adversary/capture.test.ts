/** Malicious capture bodies of up to 20 MB, and reads of the events that they stored. */
import t from 'tap'
import { ENGINES } from '../helpers/app.ts'
import { bySize, figure, inTurn, SIZE } from '../helpers/assertions/figures.ts'
import { seeded } from '../helpers/seeds/seeded.ts'
import { attackOf, type Case, eventReadRequests, inputFieldsOf, textsFor } from './input-fields.ts'
import { CAPTURE_BODIES, JSON_BODIES, PAST_INCIDENTS } from './malicious-bodies.ts'
import { type Attack, openTarget, type Target, type World } from './target.ts'

const SEED = Number(process.env.SEED ?? 20260902)
const AREA = 'Malicious input'
const LARGEST = 20_000_000
const SIZES = [1_000, 100_000, 900_000, 5_000_000, LARGEST]
/** The size of bodies that once blocked the server. */
const INCIDENT_BYTES = bySize({ quick: 1_000_000, full: LARGEST })
/** One of this many texts and fields of an event is used. */
const STRIDE = bySize({ quick: 80, full: 1 })
const LARGE_EVENTS = 110
const ONLY = process.env.ONLY && new RegExp(process.env.ONLY)
t.setTimeout(bySize({ full: 20, prove: 240 }) * 60_000)

const captureAttacks = (world: World): Attack[] =>
  Object.entries(CAPTURE_BODIES).flatMap(([name, createBody]) =>
    (SIZE === 'prove' ? SIZES : [PAST_INCIDENTS.includes(name) ? INCIDENT_BYTES : 100_000]).map((size) => ({
      name: `capture of ${name}, ${size} bytes`,
      run: async (send) => {
        const { query = '', ...body } = createBody(size, world)
        const { status } = await send({ method: 'POST', path: `/capture/${query}`, anonymous: true, ...body })
        if (status === 200) for (const request of eventReadRequests(world)) await send(request)
      },
    })),
  )

const jsonAttacks = ({ organization_id }: World): Attack[] =>
  Object.entries(JSON_BODIES).flatMap(([name, createBody]) =>
    bySize({ quick: [100_000], full: [1_000_000], prove: [100_000, 1_000_000, LARGEST] }).map((size) => ({
      name: `body of ${name}, ${size} bytes`,
      run: (send) =>
        send({
          method: 'PATCH',
          path: `/api/organizations/${organization_id}/`,
          headers: { 'content-type': 'application/json' },
          body: createBody(size),
        }),
    })),
  )

/** Texts in some field of an event, and fields of an event with some text. */
function textAttacks(world: World): Attack[] {
  const random = seeded(SEED)
  const fields = inputFieldsOf(world).filter(({ name }) => /^capture\.capture body/.test(name))
  const cases: Case[] = []
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!
  const add = (field: Case['field'], text: string, size: number): void => {
    cases.push({ field: field, text, size, variant: 0, readBack: true })
  }
  for (const field of fields.filter((_, i) => ONLY || i % STRIDE === 0)) {
    const texts = Object.keys(textsFor(field))
    if (SIZE !== 'prove') add(field, pick(texts), pick([1_000, 100_000]))
    else for (const text of texts) for (const size of SIZES) add(field, text, size)
  }
  // Timestamps, elements and stored JSON have their own scanners.
  const scanned = fields.filter(({ name }) => /body<0>.*\.(timestamp|text|\$elements_chain)$/.test(name))
  const texts = Object.keys(textsFor(scanned[0]!)).filter((_, i) => i % STRIDE === 0)
  if (SIZE !== 'prove') for (const text of texts) add(pick(scanned), text, 100_000)
  return cases.map((testCase) => attackOf(world, testCase))
}

const resultOf = ({ slowest_ms, limit_ms }: Target): string =>
  `no server errors; slowest health check ${Math.round(slowest_ms)} ms (limit ${Math.round(limit_ms)} ms)`

t.comment(`SEED=${SEED}`)

for (const engine of inTurn(ENGINES)) {
  t.test(`malicious capture bodies do not block other requests (${engine})`, async (t) => {
    const target = await openTarget(t, engine)
    const attacks = [...captureAttacks(target.world), ...jsonAttacks(target.world), ...textAttacks(target.world)]
    const chosen = ONLY ? attacks.filter(({ name }) => ONLY.test(name)) : attacks
    t.comment(`${chosen.length} attacks, limit ${Math.round(target.limit_ms)} ms`)
    for (const attack of chosen) await target.attack([attack])
    t.strictSame(target.failures, [])
    figure(t, { area: AREA, count: chosen.length, of: 'bodies of up to 20 MB', result: resultOf(target), seed: SEED })
  })

  // Takes minutes, so it runs only in `npm run prove`.
  if (SIZE !== 'prove') continue
  t.test(`pages of the largest events do not block other requests (${engine})`, async (t) => {
    const target = await openTarget(t, engine, { EVENTS_QUERY_TIMEOUT_MS: '30000' })
    const { project_token, project_id } = target.world
    const events = `/api/projects/${project_id}/events/`
    const text = '"quoted" '.repeat(80_000)
    const numbers = Array.from({ length: 100_000 }, (_, i) => i)
    for (let i = 0; i < LARGE_EVENTS; i++)
      await target.send({
        method: 'POST',
        path: '/capture/',
        anonymous: true,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          api_key: project_token,
          event: 'large',
          distinct_id: `person-${i}`,
          properties: i % 2 ? { text: text + i } : { numbers: [...numbers, i] },
        }),
      })
    const paths = [
      '',
      '?format=csv',
      '?limit=1000',
      '?select=*',
      '?select=properties',
      '?select=properties.text&format=csv',
      '?select=concat(properties.text,properties.text)',
      'values/',
      'values/?key=text',
      'values/?key=numbers',
    ]
    for (const path of paths)
      await target.attack([
        {
          name: `${LARGE_EVENTS} large events at ${path}`,
          run: async (send) => {
            const { status, text } = await send({ method: 'GET', path: events + path })
            if (status !== 200 && !text.includes('result_too_large'))
              throw new Error(`returned ${status} ${text.slice(0, 200)}`)
          },
        },
      ])
    t.strictSame(target.failures, [])
    figure(t, { area: AREA, count: LARGE_EVENTS, of: 'events of nearly 1 MiB in one page', result: resultOf(target) })
  })
}
