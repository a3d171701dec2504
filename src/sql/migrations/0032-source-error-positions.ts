import type { ColumnTypes } from '../column-types.ts'

/** Where the error of a file is. Null for errors of the whole file, and for those of earlier releases. */
export default ({ integer }: ColumnTypes): string => `
alter table plugin_files add column error_line ${integer};
alter table plugin_files add column error_column ${integer};
`
