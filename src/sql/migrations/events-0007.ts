import type { ColumnTypes } from '../column-types.ts'

/** Properties that SQLite cannot read as JSON must not fail the migration, or the change of a person. */
const EMAIL_ON_SQLITE = "iif(json_valid(properties), properties ->> '$.email', null)"

/** Finds persons by the start of their email. PostgreSQL rejects index entries above 2,704 bytes, so longer values are cut. */
export default ({ engine }: ColumnTypes): string =>
  engine === 'sqlite'
    ? `create index persons_by_email on persons (project_id, substr(${EMAIL_ON_SQLITE}, 1, 400), id)
        where ${EMAIL_ON_SQLITE} is not null;`
    : `create index persons_by_email on persons (project_id, (left(properties ->> 'email', 400) collate "C"), id)
        where properties ->> 'email' is not null;`
