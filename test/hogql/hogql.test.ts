/** HogQL: what expressions mean, the same on both engines; what is refused, and where. */
import t from 'tap'
import { CORPUS } from './corpus.ts'
import { evaluate, worlds } from './fixtures.ts'

t.test('the corpus, on both engines', async (t) => {
  t.ok(CORPUS.length >= 300, `${CORPUS.length} expressions`)
  for (const world of await worlds(t))
    await t.test(world.engine, async (t) => {
      for (const [seq, expression, expected] of CORPUS) {
        const found = await evaluate(world, expression, seq).catch((error: Error) => `error: ${error.message}`)
        t.strictSame(found, expected, expression)
      }
    })
})
