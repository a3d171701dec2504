import type { ColumnTypes } from '../column-types.ts'

/** Copies the organization's creation time to its members, so that a user's list of organizations reads one index. */
export default (d: ColumnTypes): string => `
alter table members add column organization_created_at ${d.text} not null default '';
update members set organization_created_at =
  (select o.created_at from organizations o where o.id = members.organization_id);
create index members_by_creation on members (user_id, organization_created_at, organization_id);
`
