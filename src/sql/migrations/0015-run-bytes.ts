import type { ColumnTypes } from '../column-types.ts'

/** The bytes that a run has written to its destination. */
export default ({ integer }: ColumnTypes): string =>
  `alter table batch_export_runs add column bytes_completed ${integer};`
