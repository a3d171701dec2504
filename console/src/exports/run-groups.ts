import type { Schemas } from '../api.ts'

type Run = Schemas['BatchExportRun']

export interface RunGroup {
  key: string
  /** The runs of one window, newest first. */
  runs: [Run, ...Run[]]
}

/** A window has several runs after a retry, or after a backfill of the window. Each run counts its own attempts. */
export function groupByWindow(runs: readonly Run[]): RunGroup[] {
  const groups = new Map<string, RunGroup>()
  for (const run of runs) {
    const key = `${run.data_interval_start} ${run.data_interval_end}`
    const group = groups.get(key)
    if (group) group.runs.push(run)
    else groups.set(key, { key, runs: [run] })
  }
  return [...groups.values()]
}
