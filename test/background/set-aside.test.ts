/** What loops over projects do while some of them fail. */
import t from 'tap'
import { createSetAside } from '../../src/background/set-aside.ts'
import { itemAt } from '../helpers/assertions/items.ts'

function open() {
  let now = 0
  const failed: [key: number, retry_ms: number][] = []
  const broken = new Set<number>()
  const aside = createSetAside<number>({
    milliseconds: () => now,
    onFailure: (_error, key, retry_ms) => failed.push([key, retry_ms]),
  })
  return {
    failed,
    broken,
    waiting: aside.waiting,
    advance: (milliseconds: number) => (now += milliseconds),
    /** Returns the keys of a round. */
    round: async (keys: number[]): Promise<number[]> => {
      const tried: number[] = []
      for (const key of aside.due(keys, (key) => key)) {
        tried.push(key)
        await aside.attempt(key, async () => {
          if (broken.has(key)) throw new Error('unreachable')
        })
      }
      return tried
    },
  }
}

t.test('an item that fails does not stop the others, and waits twice as long after each failure', async (t) => {
  const { round, broken, failed, advance } = open()
  broken.add(1)
  t.same(await round([1, 2, 3]), [1, 2, 3])
  t.same(await round([1, 2, 3]), [2, 3], 'it is set aside')
  for (let i = 0; i < 20; i++) {
    advance(itemAt(failed, -1)[1] - 1)
    t.same(await round([1, 2]), [2])
    advance(1)
    t.same(await round([1, 2]), [2, 1], 'it comes last')
  }
  const delays = failed.map(([, retry_ms]) => retry_ms / 1000)
  t.same(delays.slice(0, 7), [5, 10, 20, 40, 80, 160, 300])
  t.equal(Math.max(...delays), 300)

  broken.clear()
  advance(300_000)
  t.same(await round([1, 2]), [2, 1])
  t.same(await round([1, 2]), [1, 2], 'a success ends it')
  broken.add(1)
  await round([1])
  t.equal(itemAt(failed, -1)[1], 5_000, 'and the delay starts anew')
})

t.test('of the items that failed, one failure ends the round, and a success continues it', async (t) => {
  const { round, broken, advance } = open()
  for (const key of [1, 2, 3]) broken.add(key)
  t.same(await round([1, 2, 3, 4]), [1, 2, 3, 4])
  advance(5_000)
  t.same(await round([1, 2, 3, 4]), [4, 1])
  t.same(await round([1, 2, 3, 4]), [4, 2])
  broken.clear()
  advance(10_000)
  t.same(await round([1, 2, 3, 4]), [4, 1, 2, 3])
})

t.test('a clock that is set back does not prolong a delay', async (t) => {
  const { round, broken, waiting, advance } = open()
  broken.add(1)
  await round([1, 2])
  t.same(await round([1]), [])
  t.same(waiting(), [1])
  advance(-3_600_000)
  t.same(waiting(), [])
  t.same(await round([1]), [1])
})
