const BAR = 24
const REDRAW_MS = 100
/** How often a log, where nobody watches, hears of long work. */
const SAY_AGAIN_MS = 10_000

export interface Progress {
  /** So much more of the whole is done. */
  advance(amount: number): void
  show(count: number): void
  end(count: number): void
}

/** Long work on standard error, of which `whole` is all there is, in any unit: a bar with rate and time left on a terminal, a plain line now and then elsewhere. */
export function createProgress(things: string, whole: number | null): Progress {
  const began = performance.now()
  const live = process.stderr.isTTY === true
  let done = 0
  let shown = began

  const line = (count: number): string => {
    const seconds = Math.max(0.001, (performance.now() - began) / 1000)
    const rate = `${count.toLocaleString('en')} ${things}, ${Math.round(count / seconds).toLocaleString('en')} a second`
    if (!whole) return rate
    const part = Math.min(1, done / whole)
    const left = part > 0 ? Math.round((seconds / part) * (1 - part)) : 0
    const bar = '#'.repeat(Math.round(part * BAR)).padEnd(BAR, '.')
    const clock = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')} left`
    return `[${bar}] ${Math.floor(part * 100)} %  ${rate}, ${clock}`
  }

  return {
    advance: (amount) => {
      done += amount
    },
    show: (count) => {
      const now = performance.now()
      if (now - shown < (live ? REDRAW_MS : SAY_AGAIN_MS)) return
      shown = now
      process.stderr.write(live ? `\r\x1b[2K${line(count)}` : `${line(count)}\n`)
    },
    end: (count) => {
      if (live) process.stderr.write(`\r\x1b[2K${line(count)}\n`)
    },
  }
}
