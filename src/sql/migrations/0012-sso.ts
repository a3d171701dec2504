import type { ColumnTypes } from '../column-types.ts'

export default (d: ColumnTypes): string => `
create table identities (
  issuer ${d.text} not null,
  subject ${d.text} not null,
  user_id ${d.integer} not null references users (id) on delete cascade,
  provider ${d.text} not null,
  email ${d.text} not null,
  created_at ${d.text} not null,
  last_used_at ${d.text} not null,
  primary key (issuer, subject)
) ${d.strict};
create index identities_of_user on identities (user_id);

create table sso_requests (
  id_hash ${d.text} primary key,
  provider ${d.text} not null,
  domain_id ${d.text},
  browser_hash ${d.text} not null,
  next ${d.text} not null,
  invite_id ${d.text},
  expires_at ${d.text} not null
) ${d.strict};
create index sso_requests_by_expiry on sso_requests (expires_at);

create table used_assertions (
  id_hash ${d.text} primary key,
  expires_at ${d.text} not null
) ${d.strict};
create index used_assertions_by_expiry on used_assertions (expires_at);

create table pending_identities (
  token_hash ${d.text} primary key,
  user_id ${d.integer} not null references users (id) on delete cascade,
  issuer ${d.text} not null,
  subject ${d.text} not null,
  provider ${d.text} not null,
  email ${d.text} not null,
  expires_at ${d.text} not null
) ${d.strict};
create index pending_identities_by_expiry on pending_identities (expires_at);

create table removed_members (
  organization_id ${d.text} not null references organizations (id) on delete cascade,
  user_id ${d.integer} not null references users (id) on delete cascade,
  primary key (organization_id, user_id)
) ${d.strict};
`
