/** A separate process that measures whether the server responds. */
import { fork } from 'node:child_process'
import type { Test } from 'tap'
import type { ProberMessage, ProberReport } from './prober-process.ts'

const IDLE_PROBES = 200
const MIN_LIMIT_MS = 250
/** The limit is at least this many times the slowest response of an idle server. */
const IDLE_FACTOR = 10

export interface Prober {
  /** Starts to probe this server. */
  watch(url: string): void
  /** Reports the time since the last report, including two more probes. */
  report(): Promise<ProberReport>
  /** The slowest response that is acceptable on this machine, measured on an idle server. */
  limit(): Promise<number>
}

export function openProber(t: Test): Prober {
  const child = fork(new URL('./prober-process.ts', import.meta.url))
  t.teardown(() => child.kill())
  const send = (message: ProberMessage): boolean => child.send(message)
  const waiting = new Map<number, (report: ProberReport) => void>()
  child.on('message', (report: ProberReport) => {
    waiting.get(report.report)?.(report)
    waiting.delete(report.report)
  })
  let reports = 0
  const report = (): Promise<ProberReport> =>
    new Promise((resolve) => {
      waiting.set(++reports, resolve)
      send({ report: reports })
    })
  return {
    watch: (url) => void send({ url }),
    report,
    limit: async () => {
      await report()
      let slowest = 0
      for (let i = 0; i < IDLE_PROBES; i += 2) slowest = Math.max(slowest, (await report()).slowest_ms)
      return Math.max(MIN_LIMIT_MS, IDLE_FACTOR * slowest)
    },
  }
}
