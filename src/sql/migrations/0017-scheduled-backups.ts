import type { ColumnTypes } from '../column-types.ts'

/** The lease and the schedule of scheduled backups, and the result of the last one. */
export default (d: ColumnTypes): string => `
alter table installation add column backup_lease_owner ${d.text};
alter table installation add column backup_lease_until ${d.text};
alter table installation add column backup_due_at ${d.text};
alter table installation add column last_backup_bytes ${d.integer};
alter table installation add column last_backup_failed_at ${d.text};
alter table installation add column last_backup_error ${d.text};
`
