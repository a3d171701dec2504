import type { ColumnTypes } from '../column-types.ts'

/**
 * Which invites were made within the last day, replaced and withdrawn ones included, to limit those to one address. Without
 * foreign keys: a deleted organization still counts. Without addresses: a hash tells them apart.
 */
export default (d: ColumnTypes): string => `
create table made_invites (
  id ${d.text} primary key,
  organization_id ${d.text} not null,
  inviter_id ${d.integer} not null,
  target_hash ${d.text} not null,
  created_at ${d.text} not null
) ${d.strict};
create index made_invites_to on made_invites (target_hash, created_at);
create index made_invites_by_age on made_invites (created_at);
`
