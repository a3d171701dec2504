import type { ColumnTypes } from '../column-types.ts'

/** Stored credentials of organizations, and the exports that use them. */
export default (d: ColumnTypes): string => `
create table integrations (
  id ${d.text} primary key,
  organization_id ${d.text} not null references organizations (id) on delete cascade,
  name ${d.text} not null,
  kind ${d.text} not null,
  config ${d.text} not null,
  secrets ${d.text},
  created_at ${d.text} not null,
  last_updated_at ${d.text} not null,
  secrets_changed_at ${d.text} not null
) ${d.strict};
create index integrations_of_organization on integrations (organization_id, created_at, id);

alter table batch_exports add column integration_id ${d.text} references integrations (id);
create index batch_exports_of_integration on batch_exports (integration_id) where integration_id is not null;
`
