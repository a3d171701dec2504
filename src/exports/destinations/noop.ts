/** Delivers nowhere. Events are read and counted. */

import type { components } from '../../contract/openapi.ts'
import { EVENT_COLUMNS } from '../../events/extract.ts'
import type { Destination } from '../destination.ts'

export const noop: Destination<components['schemas']['NoOpConfig']> = {
  columns: [EVENT_COLUMNS.uuid],
  takesQuery: true,
  encoding: 'json',
  steps: ['Reach it'],
  check: () => undefined,
  open: async () => ({
    write: async () => undefined,
    commit: async () => 0,
    abort: async () => undefined,
  }),
  test: async function* () {
    yield { name: noop.steps[0]!, detail: 'There is nothing to reach: events that go nowhere always arrive.' }
  },
}
