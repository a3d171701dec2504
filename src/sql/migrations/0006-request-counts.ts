import type { Dialect } from '../dialect.ts'

/**
 * How many requests whom was let make, for nodes that share a database to share their limits. Not logged: what a crash
 * takes away was worth a minute or an hour. On SQLite each process counts for itself.
 */
export default ({ engine }: Dialect): string =>
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
