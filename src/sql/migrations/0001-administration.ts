import type { ColumnTypes } from '../column-types.ts'

export default (d: ColumnTypes): string => `
create table installation (
  id integer primary key check (id = 1),
  uuid ${d.text} not null,
  created_at ${d.text} not null,
  first_organization_id ${d.text}
) ${d.strict};

create table users (
  id ${d.serial},
  uuid ${d.text} not null unique,
  distinct_id ${d.text} not null,
  email ${d.text} not null,
  email_key ${d.text} not null unique,
  first_name ${d.text} not null,
  last_name ${d.text} not null,
  is_email_verified ${d.boolean},
  is_active ${d.boolean} not null,
  hedgehog_config ${d.text},
  current_organization_id ${d.text},
  current_project_id ${d.integer},
  created_at ${d.text} not null
) ${d.strict};

create table organizations (
  id ${d.text} primary key,
  name ${d.text} not null,
  slug ${d.text} not null unique,
  created_at ${d.text} not null,
  updated_at ${d.text} not null,
  plugins_access_level ${d.integer} not null,
  is_member_join_email_enabled ${d.boolean} not null,
  enforce_2fa ${d.boolean},
  customer_id ${d.text},
  member_count ${d.integer} not null
) ${d.strict};

create table members (
  id ${d.text} primary key,
  organization_id ${d.text} not null references organizations (id) on delete cascade,
  user_id ${d.integer} not null references users (id) on delete cascade,
  level ${d.integer} not null check (level in (1, 8, 15)),
  joined_at ${d.text} not null,
  updated_at ${d.text} not null,
  unique (organization_id, user_id)
) ${d.strict};
create index members_of_user on members (user_id, joined_at);

create table projects (
  id ${d.serial},
  uuid ${d.text} not null unique,
  organization_id ${d.text} not null references organizations (id) on delete cascade,
  api_token ${d.text} not null unique,
  name ${d.text} not null,
  timezone ${d.text} not null,
  ingested_event ${d.boolean} not null,
  event_retention_days ${d.integer},
  created_at ${d.text} not null,
  updated_at ${d.text} not null
) ${d.strict};
create index projects_of_organization on projects (organization_id, id);

create table api_keys (
  id ${d.text} primary key,
  user_id ${d.integer} not null references users (id) on delete cascade,
  label ${d.text} not null,
  value_hash ${d.text} not null unique,
  mask_value ${d.text} not null,
  scopes ${d.text} not null,
  scoped_organizations ${d.text} not null,
  scoped_teams ${d.text} not null,
  created_at ${d.text} not null,
  last_used_at ${d.text},
  expires_at ${d.text}
) ${d.strict};
create index api_keys_of_user on api_keys (user_id, created_at);
`
