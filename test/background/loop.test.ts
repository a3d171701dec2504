import { setImmediate as nextTick } from 'node:timers/promises'
import t from 'tap'
import { createLoop } from '../../src/background/loop.ts'

const HOUR_MS = 3_600_000

/** A loop whose rounds are counted and wait until they are released. */
function counted(round: () => Promise<number> = async () => HOUR_MS) {
  const errors: unknown[] = []
  let rounds = 0
  const loop = createLoop({
    name: 'test',
    round: () => {
      rounds++
      return round()
    },
    retry_ms: HOUR_MS,
    onError: (error) => errors.push(error),
  })
  return { loop, errors, rounds: () => rounds }
}

/** Resolves after this many microtasks. */
async function microtasks(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await undefined
}

t.test('a wake-up before the start does nothing', async (t) => {
  const { loop, rounds } = counted()
  loop.wake()
  await nextTick()
  t.equal(rounds(), 0)
  loop.start()
  await loop.idle()
  t.equal(rounds(), 1)
  await loop.stop()
})

t.test('a wake-up during a round starts exactly one more', async (t) => {
  let release = (): void => undefined
  const { loop, rounds } = counted(() => new Promise((resolve) => (release = () => resolve(HOUR_MS))))
  loop.start()
  loop.wake()
  loop.wake()
  t.equal(rounds(), 1)
  release()
  await nextTick()
  t.equal(rounds(), 2)
  release()
  await loop.stop()
  t.equal(rounds(), 2)
})

t.test('a wake-up at the end of a round is never lost', async (t) => {
  for (let delay = 0; delay < 12; delay++) {
    const { loop, rounds } = counted(async () => {
      if (rounds() === 1) void microtasks(delay).then(loop.wake)
      return HOUR_MS
    })
    loop.start()
    await nextTick()
    t.equal(rounds(), 2, `${delay} microtasks later`)
    await loop.stop()
  }
})

t.test('a round that fails is reported and does not end the loop', async (t) => {
  const { loop, errors, rounds } = counted(async () => {
    throw new Error('away')
  })
  loop.start()
  await loop.idle()
  loop.wake()
  await loop.idle()
  t.match(errors, [{ message: 'away' }, { message: 'away' }])
  t.equal(rounds(), 2)
  await loop.stop()
})

t.test('the next round starts after the delay that a round returns', async (t) => {
  const { loop, rounds } = counted(async () => (rounds() < 3 ? 1 : HOUR_MS))
  loop.start(1)
  const timer = setInterval(() => undefined, 1_000)
  while (rounds() < 3) await nextTick()
  clearInterval(timer)
  await loop.stop()
  loop.wake()
  await nextTick()
  t.equal(rounds(), 3, 'no round starts after the stop')
})
