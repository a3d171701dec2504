/** Figures of tests, printed as comments. If FIGURES names a folder, they are saved for docs/reliability.md. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { cycled } from './items.ts'
import { notRun, testFile } from './not-run.ts'

/** `npm test` is quick, `npm run test:full` is full, and `npm run prove` proves. */
type Size = 'quick' | 'full' | 'prove'

export const SIZE = (process.env.TEST_SIZE ?? 'quick') as Size

/** The value for the size of this test run; that of `full` unless the size has its own. */
export const bySize = <Value>(values: { full: Value } & Partial<Record<Size, Value>>): Value =>
  values[SIZE] ?? values.full

/** The scenarios of each test file so far. Several files may run in one process. */
const turns = new Map<string, number>()

/** All variants of a scenario. In the quick size, the scenarios of a file run one variant each, in turn. */
export function inTurn<Variant>(variants: readonly Variant[]): readonly Variant[] {
  // Files start with different variants.
  const turn = turns.get(testFile()) ?? testFile().length
  turns.set(testFile(), turn + 1)
  return SIZE === 'quick' ? [cycled(variants, turn)] : variants
}

/** All cases of a table. In the quick size, each n-th one. */
export const sampled = <Case>(cases: readonly Case[], n: number): readonly Case[] =>
  SIZE === 'quick' ? cases.filter((_, i) => i % n === 0) : cases

/** The files that call `halfInQuick`, with the number of their scenarios so far. */
const halved = new Map<string, number>()

/**
 * For a file whose scenarios take many seconds each: in the quick size, half of them run. Each calls `nextEngines`,
 * `onBothEngines`, or the returned function in place of `t.test`.
 */
export function halfInQuick(t: Test): (name: string, scenario: (t: Test) => Promise<unknown>) => void {
  if (SIZE === 'quick') halved.set(testFile(), 0)
  return (name, scenario) => {
    if (isNextSelected()) void t.test(name, scenario)
  }
}

/** Selects the first scenario of a halved file, the fourth, the fifth and so on, so that both engines have their turn. */
export function isNextSelected(): boolean {
  const number = halved.get(testFile())
  if (number === undefined) return true
  halved.set(testFile(), number + 1)
  return [0, 3].includes(number % 4)
}

export interface Done {
  /** The section of the page. */
  area: string
  /** The number and its unit: 200 kills. */
  count: number
  of: string
  /** The result of every repetition. */
  result: string
  seed?: number
}

/** A test that the machine does not support. */
export interface NotDone {
  area: string
  unable: string
}

export type Figure = (Done | NotDone) & { file: string; name: string; passed: boolean; full: boolean; seconds: number }

/** Records the figure of a test; must be its last line. A figure of a failed test is not published. */
export function figure(t: Test, figure: Done | NotDone): void {
  const line: Figure = {
    file: testFile(),
    // Without the file name, which is a separate field.
    name: t.fullname.split(' > ').slice(2).join(': '),
    passed: t.passing(),
    full: SIZE === 'prove',
    seconds: Math.round(Number(process.hrtime.bigint() - t.start) / 1e8) / 10,
    ...figure,
  }
  if ('unable' in figure) notRun(t, figure.unable)
  else t.comment(`${figure.count} ${figure.of}: ${figure.result}`)
  if (process.env.FIGURES)
    appendFileSync(join(process.env.FIGURES, `${process.pid}.jsonl`), `${JSON.stringify(line)}\n`)
}
