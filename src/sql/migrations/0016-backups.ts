import type { ColumnTypes } from '../column-types.ts'

/** When `backup` last succeeded. */
export default (d: ColumnTypes): string => `
alter table installation add column last_backup_at ${d.text};
`
