import type { ColumnTypes } from '../column-types.ts'

/** Secrets are stored as hashes, except `totp_secret`, which is encrypted. */
export default (d: ColumnTypes): string => `
alter table users add column password_hash ${d.text};
alter table users add column pending_email ${d.text};
alter table users add column totp_secret ${d.text};
alter table users add column totp_setup_at ${d.text};
alter table users add column totp_last_step ${d.integer};
alter table users add column two_factor_enabled_at ${d.text};

create table sessions (
  id ${d.text} primary key,
  token_hash ${d.text} not null unique,
  user_id ${d.integer} not null references users (id) on delete cascade,
  method ${d.text} not null,
  domain_id ${d.text},
  second_factor ${d.boolean} not null,
  address ${d.text} not null,
  user_agent ${d.text} not null,
  created_at ${d.text} not null,
  last_used_at ${d.text} not null,
  expires_at ${d.text} not null
) ${d.strict};
create index sessions_of_user on sessions (user_id, last_used_at);
create index sessions_by_expiry on sessions (expires_at);

create table pending_sign_ins (
  token_hash ${d.text} primary key,
  user_id ${d.integer} not null references users (id) on delete cascade,
  method ${d.text} not null,
  expires_at ${d.text} not null
) ${d.strict};
create index pending_sign_ins_by_expiry on pending_sign_ins (expires_at);

create table one_time_tokens (
  token_hash ${d.text} primary key,
  kind ${d.text} not null check (kind in ('sign_in', 'password_reset', 'email_verification')),
  user_id ${d.integer} not null references users (id) on delete cascade,
  email ${d.text} not null,
  created_at ${d.text} not null,
  expires_at ${d.text} not null
) ${d.strict};
create index one_time_tokens_of_user on one_time_tokens (user_id, kind, created_at);
create index one_time_tokens_by_expiry on one_time_tokens (expires_at);

create table backup_codes (
  user_id ${d.integer} not null references users (id) on delete cascade,
  code_hash ${d.text} not null,
  primary key (user_id, code_hash)
) ${d.strict};

create table sign_in_failures (
  name ${d.text} primary key,
  failures ${d.integer} not null,
  blocked_until ${d.text} not null,
  last_failed_at ${d.text} not null
) ${d.strict};
create index sign_in_failures_by_age on sign_in_failures (last_failed_at);
`
