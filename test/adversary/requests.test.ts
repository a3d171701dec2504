/** Hostile texts in every place of every request: nothing that a text says keeps the server from answering others. */
import t from 'tap'
import { ENGINES } from '../helpers/app.ts'
import { figure, PROVE } from '../helpers/figures.ts'
import { seeded } from '../helpers/seeded.ts'
import { attackOf, type Case, type Place, placesOf, textsFor } from './places.ts'
import { openTarget } from './target.ts'

const SEED = Number(process.env.SEED ?? 20260902)
const SIZES = PROVE ? [1_000, 30_000, 300_000, 1_000_000] : [1_000, 30_000, 1_000_000]
/** Of how many places at once; only a group that is slow is looked at one by one. */
const AT_ONCE = 6
/** In a log, a line that repeats what was sent is longer. */
const LOG_LINE = 20_000
const ONLY = process.env.ONLY && new RegExp(process.env.ONLY)
t.setTimeout((PROVE ? 240 : 20) * 60_000)

/** Each text to one place of each family, and one text to each of the others; with full counts in every size. */
function casesOf(places: readonly Place[]): Case[] {
  const random = seeded(SEED)
  const cases: Case[] = []
  const known = new Set<string>()
  let turn = Math.floor(random() * 1_000)
  for (const place of places) {
    const texts = Object.keys(textsFor(place))
    const first = !known.has(place.family)
    known.add(place.family)
    const add = (text: string, size: number): void => {
      cases.push({ place, text, size, variant: turn++ % place.variants, show: first })
    }
    if (PROVE && first) for (const text of texts) for (const size of SIZES) add(text, size)
    else if (place.structural) add(texts[0]!, SIZES.at(-1)!)
    else for (let i = 0; i < (first ? 2 : 1); i++) add(texts[turn++ % texts.length]!, SIZES[turn++ % SIZES.length]!)
  }
  return cases
}

t.comment(`SEED=${SEED}`)

for (const engine of ENGINES)
  t.test(`whatever a request says, others are answered (${engine})`, async (t) => {
    const target = await openTarget(t, engine)
    // What capture takes as its body has a suite of its own, with larger texts.
    const asked = placesOf(target.world).filter(({ name }) => !/^capture\.\w+ body/.test(name))
    const places = asked.filter(({ name }) => !ONLY || ONLY.test(name))
    const cases = casesOf(places)
    t.comment(`${places.length} places, ${cases.length} cases, limit ${target.limit_ms} ms`)
    for (let i = 0; i < cases.length; i += AT_ONCE)
      await target.attack(cases.slice(i, i + AT_ONCE).map((one) => attackOf(target.world, one)))
    t.strictSame(target.failures, [])
    const longest = target.longestLogLine()
    t.ok(longest <= LOG_LINE, `the longest line of the log has ${longest} characters`)
    figure(t, {
      area: 'Hostile texts',
      count: cases.length,
      of: `texts of up to 1 MB in ${places.length} places of requests`,
      result: `every one answered, never with a fault of the server's; the slowest probe took ${Math.round(target.slowest_ms)} ms of at most ${Math.round(target.limit_ms)}`,
      seed: SEED,
    })
  })
