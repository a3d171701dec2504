/** `createBuffer` of `@posthog/plugin-contrib`. */

interface EventBuffer {
  add(object: unknown, weight?: number): void
  flush(): Promise<void>
}

interface BufferOptions {
  limit?: number
  onFlush?: (objects: unknown[], points: number) => unknown
}

/** Buffers with content. The host flushes them before a batch counts as delivered. */
const pending = new Set<EventBuffer>()
const flushing = new Set<Promise<unknown>>()

export function createBuffer({ limit = 10, onFlush = async () => undefined }: BufferOptions = {}): EventBuffer {
  let objects: unknown[] = []
  let points = 0
  const buffer: EventBuffer = {
    add: (object, weight = 1) => {
      objects.push(object)
      points += weight
      pending.add(buffer)
      if (points >= limit) void buffer.flush()
    },
    flush: async () => {
      if (objects.length === 0) return
      const [some, sum] = [objects, points]
      objects = []
      points = 0
      pending.delete(buffer)
      const done = Promise.resolve(onFlush(some, sum))
      flushing.add(done)
      await done.finally(() => flushing.delete(done))
    },
  }
  return buffer
}

export async function flush(): Promise<void> {
  while (pending.size + flushing.size > 0) {
    for (const buffer of [...pending]) void buffer.flush().catch(() => undefined)
    await Promise.all(flushing)
  }
}
