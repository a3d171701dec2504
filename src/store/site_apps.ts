/** The files of plugins that run in a browser: the site apps of projects, and frontends. */
import type { Db } from '../sql/db.ts'
import { sql } from '../sql/template.ts'

/** An enabled configuration whose plugin has a transpiled `site.ts`. */
export interface SiteAppRow {
  id: number
  project_id: number
  web_token: string
  /** With the two times, it changes whenever the script changes. */
  revision: number
  plugin_updated_at: string
  config_updated_at: string
}

export interface SiteAppSourceRow extends SiteAppRow {
  transpiled: string
  /** JSON without the secrets. */
  config: string
  /** JSON. */
  config_schema: string
}

const row = sql`c.id, c.project_id, c.web_token, p.revision, p.updated_at as plugin_updated_at,
  c.updated_at as config_updated_at`

const served = sql`from plugin_configs c join plugins p on p.id = c.plugin_id
  join plugin_files f on f.plugin_id = p.id and f.name = 'site.ts'
  join projects r on r.id = c.project_id join organizations o on o.id = r.organization_id
  where c.enabled = ${true} and p.deleted_at is null and f.transpiled is not null and o.plugins_access_level > 0`

export function list(db: Db, project_id: number): Promise<SiteAppRow[]> {
  return db.all<SiteAppRow>(sql`select ${row} ${served} and c.project_id = ${project_id} order by c.sort_order, c.id`)
}

/** Undefined when the configuration has no site app or is disabled. */
export function get(db: Db, id: number): Promise<SiteAppSourceRow | undefined> {
  return db.get<SiteAppSourceRow>(
    sql`select ${row}, f.transpiled, c.config, p.config_schema ${served} and c.id = ${id}`,
  )
}

export interface FrontendRow {
  transpiled: string | null
  error: string | null
}

/** Undefined when the plugin has no `frontend.tsx`. */
export function frontend(db: Db, plugin_id: number): Promise<FrontendRow | undefined> {
  return db.get<FrontendRow>(
    sql`select transpiled, error from plugin_files where plugin_id = ${plugin_id} and name = 'frontend.tsx'`,
  )
}

export interface UntranspiledRow {
  plugin_id: number
  name: string
  text: string
  revision: number
}

/** A file that a version without the transpiler stored, after the given one; undefined when there is none. */
export function nextUntranspiled(
  db: Db,
  { plugin_id, name }: Pick<UntranspiledRow, 'plugin_id' | 'name'>,
): Promise<UntranspiledRow | undefined> {
  return db.get<UntranspiledRow>(sql`
    select f.plugin_id, f.name, f.text, p.revision from plugin_files f join plugins p on p.id = f.plugin_id
    where f.transpiled is null and f.error is null and f.name in ('site.ts', 'frontend.tsx')
      and (f.plugin_id > ${plugin_id} or (f.plugin_id = ${plugin_id} and f.name > ${name}))
    order by f.plugin_id, f.name limit 1`)
}

/** Does nothing when the code was changed since `revision` was read. */
export async function setTranspiled(
  db: Db,
  { plugin_id, name, revision }: UntranspiledRow,
  { transpiled, error }: FrontendRow,
): Promise<void> {
  await db.run(sql`
    update plugin_files set transpiled = ${transpiled}, error = ${error} where plugin_id = ${plugin_id} and name = ${name}
      and exists (select 1 from plugins where id = ${plugin_id} and revision = ${revision})`)
}
