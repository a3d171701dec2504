import type { ColumnTypes } from '../column-types.ts'

/**
 * The invites created within the last day, including replaced and withdrawn ones, to limit invites per address. There are no
 * foreign keys, because invites of deleted organizations count too. Addresses are stored as hashes.
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
