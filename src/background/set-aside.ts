/** Sets aside the items of a loop that fail, such as the projects of a database node that is down. The others go on. */

/** The delay after the first failure. Each further one doubles it. */
const FIRST_MS = 5_000
const MAX_MS = 300_000

export interface SetAside<Key> {
  /**
   * The items of a round. Those that failed the last time come last, after their delay, and only until one of them fails
   * again: a node that does not respond delays a round once.
   */
  due<Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Generator<Item, void, undefined>
  /** Returns undefined if `work` fails, and sets the key aside. */
  attempt<Result>(key: Key, work: () => Promise<Result>): Promise<Result | undefined>
  /** The keys whose delay has not ended. */
  waiting(): Key[]
}

interface Failure {
  delay_ms: number
  until: number
}

export function createSetAside<Key>({
  milliseconds = () => performance.now(),
  max_ms = MAX_MS,
  onFailure,
}: {
  milliseconds?: () => number
  /** The longest delay. */
  max_ms?: number
  /** `retry_ms` is the delay before the next attempt. */
  onFailure: (error: unknown, key: Key, retry_ms: number) => void
}): SetAside<Key> {
  const failures = new Map<Key, Failure>()

  /** A clock that was set back must not prolong a delay. */
  const isWaiting = ({ until, delay_ms }: Failure, now = milliseconds()): boolean =>
    now < until && until - now <= delay_ms

  function setAside(key: Key): number {
    const now = milliseconds()
    // The items of some keys are gone.
    for (const [other, { until }] of failures) if (other !== key && now - until > max_ms) failures.delete(other)
    const before = failures.get(key)
    const delay_ms = before ? Math.min(2 * before.delay_ms, max_ms) : FIRST_MS
    failures.set(key, { delay_ms, until: now + delay_ms })
    return delay_ms
  }

  return {
    *due<Item>(items: Iterable<Item>, keyOf: (item: Item) => Key) {
      const failed: Item[] = []
      for (const item of items)
        if (failures.has(keyOf(item))) failed.push(item)
        else yield item
      for (const item of failed) {
        const before = failures.get(keyOf(item))
        if (before && isWaiting(before)) continue
        yield item
        const after = failures.get(keyOf(item))
        if (after && after !== before) return
      }
    },
    attempt: async (key, work) => {
      try {
        const result = await work()
        failures.delete(key)
        return result
      } catch (error) {
        onFailure(error, key, setAside(key))
        return undefined
      }
    },
    waiting: () => [...failures].flatMap(([key, failure]) => (isWaiting(failure) ? [key] : [])),
  }
}
