/** Jobs that plugins or users started. A job runs once, and again only when the node that ran it dies. */
import type { Lease } from '../background/leases.ts'
import type { Db } from '../sql/db.ts'
import { oneOf, skipLocked, sql } from '../sql/template.ts'

export interface PluginJobRow {
  id: string
  plugin_config_id: number
  name: string
  /** JSON. */
  payload: string
  /** The configurations whose events led to the job, separated by commas. */
  origin: string | null
  run_at: string
  created_at: string
}

/** The name of the job that loads a plugin when it is enabled. Names of other jobs come from the code of plugins. */
export const SETUP = '$setup'

/** Jobs of one configuration. */
export const MAX_JOBS = 10_000

/** False when the configuration was removed or has too many jobs. */
export async function create(db: Db, job: PluginJobRow, max_jobs = MAX_JOBS): Promise<boolean> {
  const created = await db.run(sql`
    insert into plugin_jobs (id, plugin_config_id, name, payload, origin, run_at, created_at)
    select ${job.id}, c.id, ${job.name}, ${job.payload}, ${job.origin}, ${job.run_at}, ${job.created_at}
    from plugin_configs c where c.id = ${job.plugin_config_id}
      and (select count(*) from plugin_jobs j where j.plugin_config_id = c.id) < ${max_jobs}`)
  return created > 0
}

/** Claims the next due job, except those with the ids of `running`: this process runs them, and their leases may have expired. */
export function claim(
  db: Db,
  { owner, now, until, latest }: Lease,
  running: readonly string[] = [],
): Promise<PluginJobRow | undefined> {
  const isFree = sql`(lease_until is null or lease_until < ${now} or lease_until > ${latest})
    and id not in ${oneOf(running)}`
  return db.get<PluginJobRow>(sql`
    update plugin_jobs set lease_owner = ${owner}, lease_until = ${until}
    where id = (
      select id from plugin_jobs where run_at <= ${now} and ${isFree} order by run_at, id limit 1 ${skipLocked})
      and ${isFree}
    returning id, plugin_config_id, name, payload, origin, run_at, created_at`)
}

/** False when another node has claimed the job. */
export async function renew(db: Db, id: string, { owner, until }: Lease): Promise<boolean> {
  return (
    (await db.run(sql`update plugin_jobs set lease_until = ${until} where id = ${id} and lease_owner = ${owner}`)) > 0
  )
}

export async function finish(db: Db, id: string, owner: string): Promise<void> {
  await db.run(sql`delete from plugin_jobs where id = ${id} and lease_owner = ${owner}`)
}

/** Lets any node run the job from `run_at` on. */
export async function release(db: Db, id: string, owner: string, run_at: string): Promise<void> {
  await db.run(sql`
    update plugin_jobs set lease_owner = null, lease_until = null, run_at = ${run_at}
    where id = ${id} and lease_owner = ${owner}`)
}

/** When the next job is due or its lease ends. `running`: see `claim`. */
export async function nextAt(db: Db, running: readonly string[]): Promise<string | null> {
  const row = await db.get<{ at: string | null }>(sql`
    select min(at) as at from (
      select min(run_at) as at from plugin_jobs where lease_until is null
      union all
      select min(lease_until) as at from plugin_jobs where lease_until is not null and id not in ${oneOf(running)}) jobs`)
  return row?.at ?? null
}
