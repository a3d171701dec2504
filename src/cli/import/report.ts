/** Counts the lines of an import, and describes the result. */
import { singleLine } from '../print.ts'
import type { Problem } from './normalize.ts'

const MAX_PROBLEMS = 10
/** Reasons of servers may contain anything. */
const MAX_REASONS = 100
const OTHER_REASONS = 'Other reasons.'

export interface Report {
  to: string
  is_dry_run: boolean
  files: number
  lines: number
  stored: number
  /** Null if it is not known. */
  already_there: number | null
  /** Lines that cannot be read as an event. */
  bad: number
  too_large: number
  /** Events that plugins dropped. */
  dropped: number
  /** Events that are never stored, such as recordings. */
  skipped: number
  reasons: { reason: string; count: number }[]
  /** The first lines that are bad or too large. */
  problems: { file: string; line: number; reason: string }[]
  /** In a dry run, the first events as they are in the file and as they would be stored. */
  samples: { source: unknown; event: unknown }[]
}

export const newReport = (to: string, is_dry_run: boolean): Report => ({
  to,
  is_dry_run,
  files: 0,
  lines: 0,
  stored: 0,
  already_there: 0,
  bad: 0,
  too_large: 0,
  dropped: 0,
  skipped: 0,
  reasons: [],
  problems: [],
  samples: [],
})

/** Returns the line to print for one of the first problems. */
export function addProblem(
  report: Report,
  { file, number }: { file: string; number: number },
  problem: Problem,
): string | undefined {
  report[problem.isTooLarge ? 'too_large' : 'bad']++
  const wanted = report.reasons.length < MAX_REASONS ? problem.reason : OTHER_REASONS
  const known = report.reasons.find(({ reason }) => reason === problem.reason || reason === wanted)
  if (known) known.count++
  else report.reasons.push({ reason: wanted, count: 1 })
  if (report.problems.length === MAX_PROBLEMS) return undefined
  const reason = problem.detail ?? problem.reason
  report.problems.push({ file, line: number, reason })
  return placed(file, number, reason)
}

export const placed = (file: string, line: number, reason: string): string => `${file}:${line}: ${singleLine(reason)}`

export function describeReport(report: Report): string[] {
  const { stored, already_there, too_large, bad, dropped, skipped, reasons, is_dry_run, samples } = report
  const counts = [
    `${stored} events ${is_dry_run ? 'would be stored' : already_there === null ? 'sent' : 'stored'}`,
    already_there === null ? undefined : `${already_there} already stored`,
    `${too_large} too large`,
    `${bad} invalid lines`,
    dropped ? `${dropped} dropped by plugins` : undefined,
    skipped ? `${skipped} of kinds that are not stored` : undefined,
  ]
  const refused = reasons.toSorted((a, b) => b.count - a.count)
  return [
    ...samples.flatMap(({ source, event }) => [`from ${JSON.stringify(source)}`, `to   ${JSON.stringify(event)}`, '']),
    counts.filter((count) => count !== undefined).join(', '),
    ...refused.map(({ reason, count }) => `  ${count} refused: ${singleLine(reason)}`),
  ]
}
