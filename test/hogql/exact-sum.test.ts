/** The exact sum on SQLite, compared with decimals that are added as bigints. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { addTo, averageOf, type ExactSum, emptySum, sumOf } from '../../src/hogql/exact-sum.ts'
import { bySize } from '../helpers/assertions/figures.ts'

const SEED = 20260401

t.setTimeout(5 * 60_000)

function sumUp(values: readonly number[]): ExactSum {
  const sum = emptySum()
  for (const value of values) addTo(sum, value)
  return sum
}

const PLACES = 400

/** The shortest decimal of the number, times 10 ** PLACES. */
function scaled(value: number): bigint {
  const [mantissa = '', exponent] = value.toExponential().split('e')
  const [whole, fraction = ''] = mantissa.split('.')
  return BigInt(`${whole}${fraction}`) * 10n ** BigInt(PLACES + Number(exponent) - fraction.length)
}

const toNumber = (digits: bigint): number => Number(`${digits}e-${PLACES}`)

t.test('adds doubles of all magnitudes', async () => {
  const value = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer({ min: -1e9, max: 1e9 }).map((cents) => cents / 100),
    fc.integer({ min: -1e15, max: 1e15 }).map((millionths) => millionths / 1e6),
    fc.constantFrom(-0, 5e-324, Number.MAX_VALUE, -Number.MAX_VALUE, 1e15, 1e-6, 1e-7),
  )
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 1_200, size: 'max' }), (values) => {
      const digits = values.reduce((sum, value) => sum + scaled(value), 0n)
      const sum = toNumber(digits)
      assert.equal(sumOf(sumUp(values)), Number.isFinite(sum) ? sum : null)
      assert.equal(averageOf(sumUp(values)), toNumber(digits / BigInt(values.length)))
      assert.equal(sumOf(sumUp(values.toReversed())), sumOf(sumUp(values)))
    }),
    { numRuns: bySize({ quick: 50, full: 500 }), seed: SEED },
  )
})

t.test('carries what exceeds the integers of a double', async (t) => {
  const repeated = (value: number, count: number): ExactSum => {
    const sum = emptySum()
    for (let i = 0; i < count; i++) addTo(sum, value)
    return sum
  }
  const count = bySize({ quick: 100_000, full: 9_000_000 })
  for (const value of [999999999.999999, -999999999.999999, 98765432.109876543, -98765432.109876543]) {
    const sum = repeated(value, count)
    t.equal(sumOf(sum), toNumber(scaled(value) * BigInt(count)))
    t.equal(averageOf(sum), value)
  }
})

t.test('returns NULL without numbers and for an infinite one', async (t) => {
  t.equal(sumOf(emptySum()), null)
  t.equal(averageOf(emptySum()), null)
  t.equal(sumOf(sumUp([1, Number.POSITIVE_INFINITY])), null)
  t.equal(averageOf(sumUp([Number.NEGATIVE_INFINITY, 1])), null)
})
