import { takeWidth } from './print.ts'

const BAR_WIDTH = 24
const REDRAW_MS = 100
/** The interval of progress lines when standard error is not a terminal. */
const LOG_INTERVAL_MS = 10_000

/** The last step may still fail, so the bar is full only when everything is done. */
const MAX_PART = 0.99

export interface Progress {
  /** Adds to the completed part of `total`. */
  advance(amount: number): void
  show(count: number): void
  /** Removes the bar, so that other output can be printed. */
  clear(): void
  /** Only a complete end shows 100 %. */
  end(count: number, isComplete?: boolean): void
}

/**
 * Reports progress on standard error: a bar with rate and remaining time on a terminal, plain lines elsewhere.
 * `total` may use another unit than the counts, for example bytes.
 */
export function createProgress(unit: string, total: number | null): Progress {
  const started = performance.now()
  const line = createProgressLine()
  let done = 0

  const text = (count: number, isComplete: boolean): string => {
    const seconds = Math.max(0.001, (performance.now() - started) / 1000)
    const rate = `${count.toLocaleString('en')} ${unit}, ${Math.round(count / seconds).toLocaleString('en')} per second`
    if (!total) return rate
    const part = Math.max(0, Math.min(isComplete ? 1 : MAX_PART, done / total))
    const left = part > 0 ? Math.round((seconds / part) * (1 - part)) : 0
    return `${bar(part, isComplete)}  ${rate}, ${clock(left)} left`
  }

  return {
    advance: (amount) => {
      done += amount
    },
    show: (count) => line.show(() => text(count, false)),
    clear: line.clear,
    end: (count, isComplete = true) => line.end(text(count, isComplete)),
  }
}

/** A bar and its percentage. It is full only at a complete end. */
export function bar(share: number, isComplete: boolean): string {
  const part = isComplete ? share : Math.min(MAX_PART, share)
  return `[${'#'.repeat(Math.floor(part * BAR_WIDTH)).padEnd(BAR_WIDTH, '.')}] ${Math.floor(part * 100)} %`
}

export const clock = (seconds: number): string => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`

export interface ProgressLine {
  /** Skipped if the last line is recent, unless it is urgent. */
  show(text: () => string, isUrgent?: boolean): void
  clear(): void
  /** The last line. Without a terminal, the output of the command replaces it. */
  end(text: string): void
}

/** One line on standard error that is redrawn on a terminal and repeated elsewhere. */
export function createProgressLine(): ProgressLine {
  const isTerminal = process.stderr.isTTY === true
  let lastShown = performance.now()
  // A wrapped line could not be removed.
  const draw = (text: string): string => `\r\x1b[2K${takeWidth(text, (process.stderr.columns || 80) - 1)}`
  return {
    show: (text, isUrgent = false) => {
      const now = performance.now()
      if (!isUrgent && now - lastShown < (isTerminal ? REDRAW_MS : LOG_INTERVAL_MS)) return
      lastShown = now
      process.stderr.write(isTerminal ? draw(text()) : `${text()}\n`)
    },
    clear: () => {
      if (isTerminal) process.stderr.write('\r\x1b[2K')
    },
    end: (text) => {
      if (isTerminal) process.stderr.write(`${draw(text)}\n`)
    },
  }
}
