/** Malicious texts in every field of every request do not block other requests. */
import t from 'tap'
import { ENGINES } from '../helpers/app.ts'
import { bySize, figure, inTurn, SIZE } from '../helpers/assertions/figures.ts'
import { seeded } from '../helpers/seeds/seeded.ts'
import { attackOf, type Case, type InputField, inputFieldsOf, textsFor } from './input-fields.ts'
import { openTarget } from './target.ts'

const SEED = Number(process.env.SEED ?? 20260902)
const TEXTS_PER_FAMILY = bySize({ quick: 1, full: 2 })
/** One of this many fields of a known family is attacked. */
const STRIDE = bySize({ quick: 80, full: 1 })
const SIZES = bySize({
  quick: [1_000, 300_000],
  full: [1_000, 30_000, 1_000_000],
  prove: [1_000, 30_000, 300_000, 1_000_000],
})
/** The number of concurrent cases. If a group is slow, each of its cases is repeated alone. */
const CONCURRENCY = 6
/** A log line that repeats the input would be longer. */
const MAX_LOG_LINE = 20_000
const ONLY = process.env.ONLY && new RegExp(process.env.ONLY)
t.setTimeout(bySize({ full: 20, prove: 240 }) * 60_000)

/** Texts in one field of each family, and one text in other fields. `npm run prove` uses every text in every size. */
function casesOf(selected: readonly InputField[]): Case[] {
  const random = seeded(SEED)
  const cases: Case[] = []
  const known = new Set<string>()
  let next = Math.floor(random() * 1_000)
  for (const [i, field] of selected.entries()) {
    const texts = Object.keys(textsFor(field))
    const first = !known.has(field.family)
    if (!first && !ONLY && i % STRIDE) continue
    known.add(field.family)
    const add = (text: string, size: number): void => {
      cases.push({ field: field, text, size, variant: next++ % field.variants, readBack: first })
    }
    if (SIZE === 'prove' && first) for (const text of texts) for (const size of SIZES) add(text, size)
    else if (field.structural) add(texts[0]!, SIZES.at(-1)!)
    else
      for (let i = 0; i < (first ? TEXTS_PER_FAMILY : 1); i++)
        add(texts[next++ % texts.length]!, SIZES[next++ % SIZES.length]!)
  }
  return cases
}

t.comment(`SEED=${SEED}`)

for (const engine of inTurn(ENGINES))
  t.test(`malicious texts do not block other requests (${engine})`, async (t) => {
    const target = await openTarget(t, engine)
    // capture.test.ts covers capture bodies, with larger texts.
    const fields = inputFieldsOf(target.world).filter(({ name }) => !/^capture\.\w+ body/.test(name))
    const selected = fields.filter(({ name }) => !ONLY || ONLY.test(name))
    const cases = casesOf(selected)
    t.comment(`${selected.length} fields, ${cases.length} cases, limit ${target.limit_ms} ms`)
    for (let i = 0; i < cases.length; i += CONCURRENCY)
      await target.attack(cases.slice(i, i + CONCURRENCY).map((testCase) => attackOf(target.world, testCase)))
    t.strictSame(target.failures, [])
    const longest = target.longestLogLine()
    t.ok(longest <= MAX_LOG_LINE, `the longest log line has ${longest} characters`)
    figure(t, {
      area: 'Malicious input',
      count: cases.length,
      of: `texts of up to 1 MB in ${selected.length} request fields`,
      result: `no server errors; slowest health check ${Math.round(target.slowest_ms)} ms (limit ${Math.round(target.limit_ms)} ms)`,
      seed: SEED,
    })
  })
