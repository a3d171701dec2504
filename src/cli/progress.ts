const BAR_WIDTH = 24
const REDRAW_MS = 100
/** The interval of progress lines when standard error is not a terminal. */
const LOG_INTERVAL_MS = 10_000

export interface Progress {
  /** Adds to the completed part of `total`. */
  advance(amount: number): void
  show(count: number): void
  /** Removes the bar, so that other output can be printed. */
  clear(): void
  /** Only a complete end shows 100 %. */
  end(count: number, isComplete?: boolean): void
}

/** The last step may still fail, so the bar is full only when everything is done. */
const MAX_PART = 0.99

/**
 * Reports progress on standard error: a bar with rate and remaining time on a terminal, plain lines elsewhere.
 * `total` may use another unit than the counts, for example bytes.
 */
export function createProgress(unit: string, total: number | null): Progress {
  const started = performance.now()
  const isTerminal = process.stderr.isTTY === true
  let done = 0
  let lastShown = started

  const line = (count: number, max_part = MAX_PART): string => {
    const seconds = Math.max(0.001, (performance.now() - started) / 1000)
    const rate = `${count.toLocaleString('en')} ${unit}, ${Math.round(count / seconds).toLocaleString('en')} per second`
    if (!total) return rate
    const part = Math.max(0, Math.min(max_part, done / total))
    const left = part > 0 ? Math.round((seconds / part) * (1 - part)) : 0
    const bar = '#'.repeat(Math.floor(part * BAR_WIDTH)).padEnd(BAR_WIDTH, '.')
    const clock = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')} left`
    return `[${bar}] ${Math.floor(part * 100)} %  ${rate}, ${clock}`
  }

  return {
    advance: (amount) => {
      done += amount
    },
    show: (count) => {
      const now = performance.now()
      if (now - lastShown < (isTerminal ? REDRAW_MS : LOG_INTERVAL_MS)) return
      lastShown = now
      process.stderr.write(isTerminal ? `\r\x1b[2K${line(count)}` : `${line(count)}\n`)
    },
    clear: () => {
      if (isTerminal) process.stderr.write('\r\x1b[2K')
    },
    end: (count, isComplete = true) => {
      if (isTerminal) process.stderr.write(`\r\x1b[2K${line(count, isComplete ? 1 : MAX_PART)}\n`)
    },
  }
}
