/** How the calls of configurations went. */
import type { components } from '../contract/openapi.ts'
import type { Db } from '../sql/db.ts'
import * as metrics from '../store/plugin_metrics.ts'
import * as states from '../store/plugin_states.ts'
import { addMilliseconds } from '../time/stored.ts'

const DAY_MS = 86_400_000

export interface RunState {
  error: components['schemas']['PluginConfig']['error']
  delivery_rate_24h: number | null
}

/** The share of calls that succeeded. Null without calls. */
export function deliveryRate(rows: readonly Omit<metrics.CallTotals, 'plugin_config_id'>[]): number | null {
  let [succeeded, all] = [0, 0]
  for (const { successes, successes_on_retry, failures } of rows) {
    succeeded += successes + successes_on_retry
    all += successes + successes_on_retry + failures
  }
  return all === 0 ? null : succeeded / all
}

/** The start of the hour of a time in stored form. */
export const hourOf = (time: string): string => `${time.slice(0, 'YYYY-MM-DDTHH'.length)}:00:00.000Z`

/** The last error and the success rate of configurations. */
export async function runStates(db: Db, ids: readonly number[], now: string): Promise<(id: number) => RunState> {
  if (ids.length === 0) return () => ({ error: null, delivery_rate_24h: null })
  const since = hourOf(addMilliseconds(now, -DAY_MS))
  const [errors, totals] = await Promise.all([states.errorsOf(db, ids), metrics.totals(db, ids, since)])
  return (id) => {
    const error = errors.get(id)
    return {
      error: error === undefined ? null : JSON.parse(error),
      delivery_rate_24h: deliveryRate(totals.filter(({ plugin_config_id }) => plugin_config_id === id)),
    }
  }
}
