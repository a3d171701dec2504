import type { ColumnTypes } from '../column-types.ts'

/** Finds persons by the start of their email. PostgreSQL rejects index entries above 2,704 bytes, so longer values are cut. */
export default ({ engine }: ColumnTypes): string =>
  engine === 'sqlite'
    ? `create index persons_by_email on persons (project_id, substr(properties ->> '$.email', 1, 400), id)
        where properties ->> '$.email' is not null;`
    : `create index persons_by_email on persons (project_id, (left(properties ->> 'email', 400) collate "C"), id)
        where properties ->> 'email' is not null;`
