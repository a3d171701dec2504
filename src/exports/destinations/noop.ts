/** Reads and counts events without delivering them. */
import type { components } from '../../contract/openapi.ts'
import { EVENT_COLUMNS } from '../../events/extract.ts'
import type { Destination } from '../destination.ts'

export const noop: Destination<components['schemas']['NoOpConfig']> = {
  columns: [EVENT_COLUMNS.uuid],
  supportsQuery: true,
  encoding: () => 'json',
  steps: ['Reach the destination'],
  validate: () => undefined,
  open: async () => ({
    write: async () => undefined,
    bytes: () => 0,
    commit: async () => 0,
    abort: async () => undefined,
  }),
  test: async function* () {
    yield 'NoOp discards the events, so there is no connection to test.'
  },
}
