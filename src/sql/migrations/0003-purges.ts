import type { Dialect } from '../dialect.ts'

/** Projects that are gone and whose events are still to be removed. */
export default (d: Dialect): string => `
create table purges (
  project_id ${d.integer} primary key,
  queued_at ${d.text} not null
) ${d.strict};
`
