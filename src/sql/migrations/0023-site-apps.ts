import type { ColumnTypes } from '../column-types.ts'

/**
 * The JavaScript of plugin files that run in a browser, and the token in the URL of a site app. The index finds the files
 * that were stored before they were transpiled.
 */
export default (d: ColumnTypes): string => `
alter table plugin_files add column transpiled ${d.text};
create index untranspiled_plugin_files on plugin_files (plugin_id, name)
  where transpiled is null and error is null and name in ('site.ts', 'frontend.tsx');

alter table plugin_configs add column web_token ${d.text} not null default '';
update plugin_configs set web_token = ${
  d.engine === 'sqlite' ? 'lower(hex(randomblob(16)))' : "replace(gen_random_uuid()::text, '-', '')"
};
`
