/**
 * Texts that make a backtracking pattern take the square of their length, or never end. Each takes milliseconds when
 * read in one pass, so the bound below is loose enough for a busy machine and far below what backtracking takes.
 */
import t, { type Test } from 'tap'
import { readPayload } from '../../src/events/payload.ts'

const LENGTH = 1_000_000
const BOUND_MS = 5_000

const repeated = (unit: string, length = LENGTH): string => unit.repeat(Math.ceil(length / unit.length))

async function soon<Result>(t: Test, what: string, work: () => Result): Promise<Awaited<Result>> {
  const start = performance.now()
  const result = await work()
  t.ok(performance.now() - start < BOUND_MS, `${what} took ${Math.round(performance.now() - start)} ms`)
  return result
}

t.test('JSON with NaN in it', async (t) => {
  const read = (text: string) =>
    readPayload(
      {
        method: 'POST',
        content_type: 'application/json',
        content_encoding: undefined,
        query: {},
        bytes: Buffer.from(text),
      },
      () => undefined,
    )
  for (const [what, text] of [
    ['a string of escaped quotes that never ends', `{"x":NaN,"y":"${repeated('\\"')}`],
    ['a string of backslashes that never ends', `{"x":NaN,"y":"${repeated('\\')}`],
    ['quotes', `{"x":NaN,${repeated('"')}`],
    ['the beginnings of words', `{"x":NaN,${repeated('Na')}`],
    ['signs', `{"x":NaN,${repeated('-')}`],
    ['half of Infinity', `{"x":NaN,${repeated('-Infinit')}`],
  ] as const)
    await soon(t, what, () => t.rejects(read(text), { code: 'invalid_payload' }, what))

  const api_key = 'phc_x'
  const long = `{"api_key":"${api_key}","event":"e","properties":{"y":"${repeated('\\"NaN')}","z":[${repeated('NaN,-Infinity,')}Infinity]}}`
  const { data } = await soon(t, 'a valid text', () => read(long))
  const { y, z } = (data as { properties: { y: string; z: null[] } }).properties
  t.ok(y.startsWith('"NaN"NaN'), 'strings stay as they are')
  t.ok(z.length > 2 && z.every((item) => item === null), 'numbers that are none become null')
})
