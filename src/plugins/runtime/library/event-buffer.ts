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
/** A flush that failed stays until the host learns of it. */
const flushing = new Set<Promise<unknown>>()

export function createBuffer({ limit = 10, onFlush = async () => undefined }: BufferOptions = {}): EventBuffer {
  let objects: unknown[] = []
  let points = 0
  const buffer: EventBuffer = {
    add: (object, weight = 1) => {
      objects.push(object)
      points += weight
      pending.add(buffer)
      if (points >= limit) buffer.flush().catch(() => undefined)
    },
    flush: async () => {
      if (objects.length === 0) return
      const [some, sum] = [objects, points]
      objects = []
      points = 0
      pending.delete(buffer)
      const done = (async () => onFlush(some, sum))()
      flushing.add(done)
      await done
      flushing.delete(done)
    },
  }
  return buffer
}

export async function flush(): Promise<void> {
  while (pending.size + flushing.size > 0) {
    for (const buffer of [...pending]) buffer.flush().catch(() => undefined)
    const some = [...flushing]
    const failed = (await Promise.allSettled(some)).find(({ status }) => status === 'rejected')
    for (const done of some) flushing.delete(done)
    if (failed?.status === 'rejected') throw failed.reason
  }
}
