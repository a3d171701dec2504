import type { ColumnTypes } from '../column-types.ts'

/** A number for each integration, which PostHog's clients send instead of the id. SQLite cannot add such a column to a table. */
export default (d: ColumnTypes): string => `
create table integration_numbers (
  number ${d.serial},
  integration_id ${d.text} not null unique references integrations (id) on delete cascade
) ${d.strict};
insert into integration_numbers (integration_id) select id from integrations order by created_at, id;
`
