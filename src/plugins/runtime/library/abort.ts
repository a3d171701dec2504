import { setTimeout } from './timers.ts'

export class AbortError extends Error {
  override get name(): string {
    return 'AbortError'
  }
}

type Listener = (event: { type: 'abort'; target: AbortSignal }) => void

let abort: (signal: AbortSignal, reason?: unknown) => void

export class AbortSignal {
  aborted = false
  reason: unknown = undefined
  onabort: Listener | null = null
  #listeners: Listener[] = []
  static {
    abort = (signal, reason = new AbortError('The operation was aborted.')) => {
      if (signal.aborted) return
      signal.aborted = true
      signal.reason = reason
      for (const listener of [signal.onabort, ...signal.#listeners]) listener?.({ type: 'abort', target: signal })
    }
  }
  static timeout(delay: unknown): AbortSignal {
    const signal = new AbortSignal()
    setTimeout(() => abort(signal, new AbortError('The operation timed out.')), delay)
    return signal
  }
  addEventListener(type: string, listener: Listener): void {
    if (type === 'abort') this.#listeners.push(listener)
  }
  removeEventListener(type: string, listener: Listener): void {
    this.#listeners = this.#listeners.filter((other) => type !== 'abort' || other !== listener)
  }
  throwIfAborted(): void {
    if (this.aborted) throw this.reason
  }
}

export class AbortController {
  signal = new AbortSignal()
  abort(reason?: unknown): void {
    abort(this.signal, reason)
  }
}
