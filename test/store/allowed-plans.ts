import type { Engine } from '../../src/sql/template.ts'

export interface Allowed {
  /** `scan`: the plan reads a whole table. `cluster`: a distributed table without its project. `error`: not explained. */
  rule: 'scan' | 'cluster' | 'error'
  /** Both if it is missing. */
  engine?: Engine
  /** Matches the statement in one line. */
  statement: RegExp
  reason: string
}

/** Statements whose plans break a rule, and why they may. */
export const ALLOWED: Allowed[] = [
  {
    rule: 'scan',
    statement: /^select (\*|1) from [a-z_]+$/,
    reason: 'Tests compare whole tables.',
  },
  {
    rule: 'cluster',
    statement: /^select (\*|1) from [a-z_]+$/,
    reason: 'Tests compare whole tables.',
  },
  {
    rule: 'scan',
    statement: /^select distinct substr\([a-z_]+, 1, 8\) as key from/,
    reason: 'Once at a start, before the server listens: finds secrets of an earlier key.',
  },
  {
    rule: 'scan',
    statement: /^select max\(position\) as position from \( select max\(watermark\)/,
    reason: 'Once at a start, before the server listens: finds a database that was restored from another cluster.',
  },
  {
    rule: 'scan',
    statement: /^select project_id, queued_at from purges order by/,
    reason: 'The queue of deleted projects. A project leaves it a minute after its events are deleted.',
  },
  {
    rule: 'scan',
    statement:
      /^select c\.id, c\.plugin_id, .* from plugin_configs c join plugins p .* where c\.enabled = \S+ and p\.(sends_events|capabilities) .* order by c\.id$/,
    reason: 'Reads all enabled configurations that get events or have schedules: each of them is work of the round.',
  },
  {
    rule: 'scan',
    engine: 'postgres',
    statement:
      /\bbatch_export_pauses p where p\.batch_export_id = batch_exports\.id and p\.resumed_at is not null\) order by next_at/,
    reason: 'The pauses that planning has not settled yet: a few rows for half a second.',
  },
  {
    rule: 'scan',
    engine: 'postgres',
    statement: /^select distinct p\.batch_export_id as id from batch_export_pauses p/,
    reason: 'The pauses that planning has not settled yet: a few rows for half a second.',
  },
  {
    rule: 'scan',
    statement: /^select id from projects order by id$/,
    reason: 'Once after a restore from another cluster, before the server listens.',
  },
  {
    rule: 'scan',
    engine: 'postgres',
    statement: /from plugins p join organizations o .* and not p\.id in \(.* order by p\.id limit \$\d+ offset \$\d+$/,
    reason:
      'Without the value of the limit, PostgreSQL expects a tenth of all plugins. With it, it reads those of the organization.',
  },
  {
    rule: 'scan',
    statement: /^(delete from alert_incidents|insert into alert_incidents|select) .*min\(w\.window_end\) as late_since/,
    reason: 'Once a minute, if an alert about lag exists: compares every export that is not paused with its windows.',
  },
  {
    rule: 'scan',
    engine: 'postgres',
    statement:
      /from (plugin_log_entries|batch_export_log_entries) where .* and level in \(select value from json_array_elements_text/,
    reason: 'The list has at most five levels, and the page ends at its limit.',
  },
  {
    rule: 'scan',
    statement: /^select count\(\*\) as count from [a-z_]+$/,
    reason: 'Tests count whole tables.',
  },
]
