import type { ColumnTypes } from '../column-types.ts'

export default (d: ColumnTypes): string => `
alter table users add column search_key ${d.text} not null default '';
update users set search_key = lower(first_name || ' ' || last_name || ' ' || email);

create index members_by_joining on members (organization_id, joined_at, id);

create table invites (
  id ${d.text} primary key,
  organization_id ${d.text} not null references organizations (id) on delete cascade,
  target_email ${d.text} not null,
  target_email_key ${d.text} not null,
  first_name ${d.text} not null,
  level ${d.integer} not null check (level in (1, 8, 15)),
  message ${d.text},
  emailing_attempt_made ${d.boolean} not null,
  token_hash ${d.text},
  created_by_id ${d.integer} references users (id) on delete set null,
  created_at ${d.text} not null,
  updated_at ${d.text} not null,
  unique (organization_id, target_email_key)
) ${d.strict};
create index invites_by_age on invites (organization_id, created_at, id);

create table used_invites (
  id ${d.text} primary key,
  organization_id ${d.text} not null references organizations (id) on delete cascade,
  token_hash ${d.text} not null,
  used_at ${d.text} not null
) ${d.strict};

create table domains (
  id ${d.text} primary key,
  organization_id ${d.text} not null references organizations (id) on delete cascade,
  domain ${d.text} not null,
  verified_at ${d.text},
  verification_challenge ${d.text} not null,
  last_verification_retry ${d.text},
  jit_provisioning_enabled ${d.boolean} not null,
  sso_enforcement ${d.text} not null,
  saml_entity_id ${d.text},
  saml_acs_url ${d.text},
  saml_x509_cert ${d.text},
  unique (organization_id, domain)
) ${d.strict};
create unique index verified_domains on domains (domain) where verified_at is not null;

create table letters (
  id ${d.text} primary key,
  kind ${d.text} not null,
  recipient ${d.text} not null,
  content ${d.text} not null,
  state ${d.text} not null check (state in ('waiting', 'sending')),
  attempts ${d.integer} not null,
  next_attempt_at ${d.text} not null,
  created_at ${d.text} not null
) ${d.strict};
create index letters_due on letters (state, next_attempt_at);
`
