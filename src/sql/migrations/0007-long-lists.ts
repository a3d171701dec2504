import type { Dialect } from '../dialect.ts'

/** An organization's time of creation, which never changes, beside each of its members: whoever is in many has a first page. */
export default (d: Dialect): string => `
alter table members add column organization_created_at ${d.text} not null default '';
update members set organization_created_at =
  (select o.created_at from organizations o where o.id = members.organization_id);
create index members_by_creation on members (user_id, organization_created_at, organization_id);
`
