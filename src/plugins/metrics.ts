/** The counts of a configuration. */
import type { MetricRow } from '../store/plugin_metrics.ts'

/** The share of calls that succeeded. Null without calls. */
export function deliveryRate(rows: readonly Pick<MetricRow, 'successes' | 'successes_on_retry' | 'failures'>[]): number | null {
  const sum = (key: 'successes' | 'successes_on_retry' | 'failures'): number =>
    rows.reduce((total, row) => total + row[key], 0)
  const succeeded = sum('successes') + sum('successes_on_retry')
  const all = succeeded + sum('failures')
  return all === 0 ? null : succeeded / all
}
