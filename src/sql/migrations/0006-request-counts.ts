import type { ColumnTypes } from '../column-types.ts'

/**
 * Rate-limit counters shared by the nodes. Unlogged, since a crash loses at most an hour of counts. On SQLite each process
 * counts by itself.
 */
export default ({ engine }: ColumnTypes): string =>
  engine === 'sqlite'
    ? ''
    : `
create unlogged table request_counts (
  name text collate "C" not null,
  seconds bigint not null,
  start bigint not null,
  count bigint not null,
  primary key (name, seconds, start)
);
`
