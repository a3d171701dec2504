import type { Engine } from '../../src/sql/template.ts'

export interface Allowed {
  /** `scan`: the plan reads a whole table. `cluster`: a distributed table without its project. */
  rule: 'scan' | 'cluster'
  /** Both if it is missing. */
  engine?: Engine
  /** Matches the statement in one line. */
  statement: RegExp
  reason: string
}

/** Statements of commands that are about all rows. */
const COPY = new RegExp(
  [
    '^select distinct project_id as id from [a-z_]+$',
    '^select t\\.[a-z_]+( as [a-z_]+)?,.* from [a-z_]+ t order by .* limit (1|\\?|\\$\\d+)$',
    '^insert into [a-z_]+ .* overriding system value select .* from json_to_recordset',
    '^select id as project_id from projects union select project_id from purges$',
    '^select \\(select count\\(\\*\\) from uncounted_events\\)',
  ].join('|'),
)

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
    statement:
      /^select o\.id as organization_id, u\.email as owner_email, .* from organizations o left join projects p/,
    reason: 'Once at a start: finds the oldest organization for the ready line.',
  },
  {
    rule: 'scan',
    statement:
      /^select ([po])\.id, \1\.name from (projects|organizations) \1 where lower\(\1\.name\) = lower\(\S+\) order by/,
    reason: 'Commands on the database find a project or organization by its name.',
  },
  {
    rule: 'scan',
    statement: /^select max\(position\) as position from \( select max\(watermark\)/,
    reason: 'Once at a start, before the server listens: finds a database that was restored from another cluster.',
  },
  {
    rule: 'scan',
    statement: /^select max\(mirrored_to\) as mirrored_to, max\(ready_position\) as ready_position from mirrors$/,
    reason: 'Once at a start, before the server listens: a row per mirrored project.',
  },
  {
    rule: 'cluster',
    statement: /^select max\(mirrored_to\) as mirrored_to, max\(ready_position\) as ready_position from mirrors$/,
    reason: 'Once at a start, before the server listens: a row per mirrored project.',
  },
  {
    rule: 'scan',
    statement: /^select project_id, queued_at from purges order by/,
    reason: 'The queue of deleted projects. A project leaves it a minute after its events are deleted.',
  },
  {
    rule: 'scan',
    statement:
      /^select c\.id, (c\.project_id, s\.position, s\.seq, s\.retry_at|p\.capabilities) from plugin_configs c join plugins p .* where c\.enabled = \S+ and p\.(sends_events|capabilities) .* order by c\.id$/,
    reason:
      'Reads all enabled configurations that get events, with their states, or that have schedules: each of them is work of the round.',
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
    statement: /^select id from projects( order by id)?$/,
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
  {
    rule: 'scan',
    engine: 'sqlite',
    statement: /\(e\.timestamp, e\.uuid\) > \(\?, \?\)/,
    reason: 'The range begins at the time of the cursor, so only events of the same microsecond are read again.',
  },
  {
    rule: 'scan',
    engine: 'sqlite',
    statement: /from events e indexed by events_by_time where e\.project_id = \? and .* and 0 order by/,
    reason: 'SQLite reads nothing for a condition that is always false.',
  },
  {
    rule: 'scan',
    engine: 'sqlite',
    statement: /^select k\.key, count\(\*\) from \(select p\.properties from persons p .* limit \?\) e join/,
    reason: 'Reads the properties of the persons of a limited number of recent events.',
  },
  {
    rule: 'scan',
    engine: 'postgres',
    statement: /from events e where .* and e\.event in \(select value from json_array_elements_text/,
    reason: 'The list of event names is short, and the page ends at its limit.',
  },
  {
    rule: 'scan',
    statement: /^select 1 from users limit 1$|from users u where u\.is_active order by u\.id limit 1$/,
    reason: 'Reads one user, or the few that are older and inactive.',
  },
  {
    rule: 'scan',
    statement: /^select id, [a-z_]+ as encrypted from [a-z_]+ where substr\(/,
    reason: 'Once at a start with a new key, before the server listens.',
  },
  {
    rule: 'scan',
    statement: /^delete from sessions where method in .* where substr\(email_key, /,
    reason: 'Once when a domain begins to enforce single sign-on.',
  },
  {
    rule: 'scan',
    statement: /^select \(select count\(\*\) from batch_export_runs where status in .* as mails_waiting/,
    reason: 'The status of the installation, for its owner. The outbox and the queue of deleted projects are short.',
  },
  {
    rule: 'scan',
    statement:
      /^update users set is_active = \S+$|^select count\(\*\) as count from \(select lease_owner from plugin_schedules/,
    reason: 'A test writes or reads all rows.',
  },
  {
    rule: 'scan',
    statement:
      /^select u\.id, u\.uuid, .* from users u where u\.is_active order by u\.id$|^select k\.id, .* from api_keys k join users u .* order by k\.user_id, k\.created_at, k\.id$/,
    reason: 'The commands `users list` and `keys list` print all rows.',
  },
  {
    rule: 'scan',
    engine: 'sqlite',
    statement:
      /^select t\.seq as seq, .* from (person|session)_changes t where \(t\.project_id, t\.seq\) > \(\?, \?\) order by t\.project_id, t\.seq limit \?$/,
    reason: 'The command `copy`. Each page passes over the rows of its project that were copied before.',
  },
  {
    rule: 'scan',
    statement:
      /^select min\(case when lease_until is null then next_at else lease_until end\) as at from plugin_schedules where plugin_config_id \|\| ' ' \|\| task not in/,
    reason:
      'A few rows for each enabled configuration with schedules. The round of plugin tasks reads all of them, too.',
  },
  {
    rule: 'scan',
    engine: 'sqlite',
    statement: /^select \(select count\(\*\) from \(select 1 as one from letters limit \?\)/,
    reason: 'The gauges of a scrape. Every count ends at its limit.',
  },
  {
    rule: 'scan',
    statement: COPY,
    reason: 'The commands `copy`, `migrate --recount-events` and `doctor` read whole tables.',
  },
  {
    rule: 'cluster',
    engine: 'postgres',
    statement: /^select count\(\*\) as count from [a-z_]+$/,
    reason: 'The command `copy` counts the rows of each table.',
  },
  {
    rule: 'cluster',
    statement: COPY,
    reason: 'The commands `copy` and `doctor` read all projects. No export runs while `copy` inserts.',
  },
  {
    rule: 'cluster',
    statement: /^(select project_id, ready_position, .* from|update) mirrors (set seen_at = .* )?where node = /,
    reason: 'A row per project that a node mirrors, by an index, in each round of its mirror.',
  },
  {
    rule: 'scan',
    statement: /^select (file from mirror_segments where node = |project_id, node from mirrors where seen_at < )/,
    reason: 'Every ten minutes and once a day: tables with a row per mirrored project, or a few per project.',
  },
  {
    rule: 'cluster',
    statement: /^select (file from mirror_segments where node = |project_id, node from mirrors where seen_at < )/,
    reason: 'Every ten minutes and once a day: tables with a row per mirrored project, or a few per project.',
  },
]
