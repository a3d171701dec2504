import type { ColumnTypes } from '../column-types.ts'

/** Deleted projects whose events are still to be deleted. */
export default (d: ColumnTypes): string => `
create table purges (
  project_id ${d.integer} primary key,
  queued_at ${d.text} not null
) ${d.strict};
`
