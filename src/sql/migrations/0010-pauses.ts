import type { ColumnTypes } from '../column-types.ts'

/**
 * The pauses of batch exports that planning has not settled yet. `position` is the first position after the pause began,
 * `resumed_position` the first one after it ended; null while the export is paused. Exports that are paused when this
 * table is created have no row: unpausing them skips nothing.
 */
export default (d: ColumnTypes): string => `
create table batch_export_pauses (
  id ${d.serial},
  batch_export_id ${d.text} not null references batch_exports (id) on delete cascade,
  paused_at ${d.text} not null,
  position ${d.integer} not null,
  resumed_at ${d.text},
  resumed_position ${d.integer}
) ${d.strict};
create index pauses_of_export on batch_export_pauses (batch_export_id, id);
create unique index open_pauses on batch_export_pauses (batch_export_id) where resumed_at is null;
`
