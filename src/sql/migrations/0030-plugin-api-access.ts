import type { ColumnTypes } from '../column-types.ts'

/** The administrator who allowed a plugin to read its project with `posthog.api`. */
export default (d: ColumnTypes): string => `
alter table plugin_configs add column api_access_user_id ${d.integer} references users (id) on delete set null;
create index plugin_configs_with_api_access on plugin_configs (api_access_user_id) where api_access_user_id is not null;
`
