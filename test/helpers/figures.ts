/** What a suite did, told on the spot and, where FIGURES names a folder, kept for docs/reliability.md. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { notRun, testFile } from './not-run.ts'

/** Full counts instead of those that `npm test` has time for. */
export const PROVE = process.env.PROVE === '1'

export interface Done {
  /** The table of the page that it belongs to. */
  area: string
  /** How often, and what: 200 kills. */
  count: number
  of: string
  /** What held, every time. */
  result: string
  seed?: number
}

/** What a machine could not do is a figure too. */
export interface NotDone {
  area: string
  unable: string
}

export type Figure = (Done | NotDone) & { file: string; name: string; passed: boolean; full: boolean; seconds: number }

/** The last line of a test: what it says is believed only where the test passed. */
export function figure(t: Test, figure: Done | NotDone): void {
  const line: Figure = {
    file: testFile(),
    // Without the file, which stands beside it.
    name: t.fullname.split(' > ').slice(2).join(': '),
    passed: t.passing(),
    full: PROVE,
    seconds: Math.round(Number(process.hrtime.bigint() - t.start) / 1e8) / 10,
    ...figure,
  }
  if ('unable' in figure) notRun(t, figure.unable)
  else t.comment(`${figure.count} ${figure.of}: ${figure.result}`)
  if (process.env.FIGURES)
    appendFileSync(join(process.env.FIGURES, `${process.pid}.jsonl`), `${JSON.stringify(line)}\n`)
}
