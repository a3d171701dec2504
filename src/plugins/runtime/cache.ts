/**
 * The cache of plugins: in the memory of this process, for each configuration. Entries are lost at a restart and are not shared
 * between nodes.
 */

/** Of one configuration. The least recently written entries are removed first. */
const MAX_ENTRIES = 10_000
const MAX_CHARACTERS = 4 * 1024 * 1024
/** Of all configurations. The least recently used configuration loses its entries first. */
const MAX_SPACES = 1_000
const MAX_TOTAL_CHARACTERS = 32 * 1024 * 1024
/** The memory of an entry besides its texts. */
const ENTRY_CHARACTERS = 64
const MAX_VALUE_LENGTH = 256 * 1024
const MAX_LIST = 10_000

interface Entry {
  value: string | string[]
  /** Milliseconds since 1970. */
  expires_at: number
}

export interface PluginCache {
  /** Runs one operation on the cache of a configuration. Throws for wrong arguments. */
  run(configuration: number, operation: string, key: string, args: readonly unknown[]): unknown
  /** The configurations that have entries. */
  configurations(): number[]
  free(configuration: number): void
  /** The size of all entries. */
  readonly characters: number
}

export function createPluginCache(milliseconds: () => number): PluginCache {
  /** The least recently used first. */
  const spaces = new Map<number, Space>()
  let characters = 0

  function free(id: number): void {
    characters -= spaces.get(id)?.characters() ?? 0
    spaces.delete(id)
  }

  return {
    run: (id, operation, key, args) => {
      const space = spaces.get(id) ?? createSpace(milliseconds)
      if (!isOperation(space.operations, operation)) throw new TypeError('The cache has no such function.')
      const before = space.characters()
      try {
        return space.operations[operation](key, args)
      } finally {
        characters += space.characters() - before
        spaces.delete(id)
        if (space.characters() > 0) spaces.set(id, space)
        for (const oldest of spaces.keys()) {
          if (spaces.size <= MAX_SPACES && characters <= MAX_TOTAL_CHARACTERS) break
          free(oldest)
        }
      }
    },
    configurations: () => [...spaces.keys()],
    free,
    get characters() {
      return characters
    },
  }
}

const isOperation = (operations: Operations, name: string): name is keyof Operations => Object.hasOwn(operations, name)

type Operations = Record<
  'set' | 'get' | 'incr' | 'expire' | 'lpush' | 'lrange' | 'llen' | 'lpop' | 'lrem',
  (key: string, args: readonly unknown[]) => unknown
>

interface Space {
  operations: Operations
  characters(): number
}

function createSpace(milliseconds: () => number): Space {
  const entries = new Map<string, Entry>()
  let characters = 0

  const sizeOf = (key: string, { value }: Entry): number =>
    ENTRY_CHARACTERS +
    key.length +
    (typeof value === 'string' ? value.length : value.reduce((sum, item) => sum + item.length + 8, 0))

  function remove(key: string): void {
    const entry = entries.get(key)
    if (!entry) return
    characters -= sizeOf(key, entry)
    entries.delete(key)
  }

  function read(key: string): Entry | undefined {
    const entry = entries.get(key)
    if (!entry || entry.expires_at > milliseconds()) return entry
    remove(key)
    return undefined
  }

  function write(key: string, value: Entry['value'], expires_at = Number.POSITIVE_INFINITY): void {
    const entry = { value, expires_at }
    const size = sizeOf(key, entry)
    if (size > MAX_VALUE_LENGTH + ENTRY_CHARACTERS)
      throw new RangeError(`A cached value has at most ${MAX_VALUE_LENGTH} characters.`)
    remove(key)
    entries.set(key, entry)
    characters += size
    for (const oldest of entries.keys()) {
      if (entries.size <= MAX_ENTRIES && characters <= MAX_CHARACTERS) break
      remove(oldest)
    }
  }

  const listAt = (key: string): string[] => {
    const value = read(key)?.value ?? []
    if (typeof value === 'string') throw new TypeError(`The cached value of "${key}" is not a list.`)
    return value
  }
  const replaceList = (key: string, list: string[]): void => {
    const expires_at = entries.get(key)?.expires_at
    if (list.length === 0) remove(key)
    else write(key, list, expires_at)
  }

  const operations: Operations = {
    set: (key, [value, seconds]) =>
      write(
        key,
        String(value),
        typeof seconds === 'number' && seconds > 0 ? milliseconds() + seconds * 1000 : undefined,
      ),
    get: (key) => {
      const value = read(key)?.value
      return typeof value === 'string' ? value : null
    },
    incr: (key) => {
      const entry = read(key)
      const value = entry?.value ?? '0'
      const number = Number(value)
      if (typeof value !== 'string' || !Number.isSafeInteger(number))
        throw new TypeError(`The cached value of "${key}" is not a number.`)
      write(key, String(number + 1), entry?.expires_at)
      return number + 1
    },
    expire: (key, [seconds]) => {
      const entry = read(key)
      if (!entry) return false
      entry.expires_at = milliseconds() + Number(seconds) * 1000
      return true
    },
    lpush: (key, [items]) => {
      if (!Array.isArray(items)) throw new TypeError('lpush takes a list.')
      const list = [...items.map(String).reverse(), ...listAt(key)]
      if (list.length > MAX_LIST) throw new RangeError(`A cached list has at most ${MAX_LIST} items.`)
      replaceList(key, list)
      return list.length
    },
    lrange: (key, [from, to]) => {
      const list = listAt(key)
      const fromStart = (index: unknown): number => (Number(index) < 0 ? list.length + Number(index) : Number(index))
      return list.slice(Math.max(0, fromStart(from)), fromStart(to) + 1)
    },
    llen: (key) => listAt(key).length,
    lpop: (key, [count]) => {
      const list = listAt(key)
      const taken = list.slice(0, Number(count))
      replaceList(key, list.slice(Number(count)))
      return taken
    },
    lrem: (key, [count, item]) => {
      const list = listAt(key)
      const limit = Number(count) === 0 ? list.length : Math.abs(Number(count))
      const order = Number(count) < 0 ? [...list.keys()].reverse() : [...list.keys()]
      const removed = new Set(order.filter((index) => list[index] === item).slice(0, limit))
      replaceList(
        key,
        list.filter((_, index) => !removed.has(index)),
      )
      return removed.size
    },
  }
  return { operations, characters: () => characters }
}
