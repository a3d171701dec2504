import type { Schemas } from '../api.ts'
import { duration } from '../parts/format.ts'

export type Metric = Schemas['PluginMetric']

export const callsOf = ({ successes, successes_on_retry, failures }: Metric): number =>
  successes + successes_on_retry + failures

export const sum = (rows: readonly Metric[], numberOf: (row: Metric) => number): number =>
  rows.reduce((total, row) => total + numberOf(row), 0)

export const average = (milliseconds: number, calls: number): string =>
  calls === 0 ? '–' : duration(milliseconds / calls)
