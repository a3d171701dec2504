/** The columns of each list, chosen for people. `--json`, `--fields` and the other formats show every field. */
import type { components } from '../contract/openapi.ts'
import type { Column } from './print.ts'

type SchemaName = keyof components['schemas']
type Row = Record<string, unknown>

export const LEVELS: Record<string, number> = { member: 1, admin: 8, owner: 15 }

export const levelName = (level: unknown): unknown =>
  Object.entries(LEVELS).find(([, number]) => number === level)?.[0] ?? level

/** The value at a path such as `user.email`. */
export const valueAt = (row: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
      row,
    )

const fullName = (user: unknown): string =>
  ['first_name', 'last_name']
    .map((name) => valueAt(user, name))
    .filter(Boolean)
    .join(' ')

/** A path, with `?` if it is optional and `heading=` if the heading differs, or a heading with a function. */
type Shown = string | [heading: string, value: (row: Row) => unknown]

const RUN: Shown[] = [
  'id',
  'status',
  'from=data_interval_start',
  'to=data_interval_end?',
  [
    'records',
    ({ records_completed, records_total_count }) =>
      records_completed === records_total_count || records_total_count === null
        ? records_completed
        : `${records_completed ?? 0} of ${records_total_count}`,
  ],
  'bytes=bytes_completed?',
  'finished=finished_at?',
  'error=latest_error?',
]
const INVITE: Shown[] = [
  'email=target_email',
  ['level', ({ level }) => levelName(level)],
  ['state', ({ is_expired }) => (is_expired ? 'expired' : 'pending')],
  'id',
  'invited by=created_by.email?',
  'created=created_at?',
]
const LOG: Shown[] = ['time=timestamp', 'level', 'message']
const PLUGIN: Shown[] = ['id', 'name', 'origin=plugin_type', 'revision=tag', 'url?', 'global=is_global?']

/** The columns by the schema of the rows, the most important first. */
export const COLUMNS: Partial<Record<SchemaName, Shown[]>> = {
  Organization: [
    'id',
    'name',
    ['your level', ({ membership_level }) => levelName(membership_level)],
    'members=member_count?',
    'created=created_at?',
  ],
  Project: [
    'id',
    'name',
    'token=api_token',
    'retention days=event_retention_days?',
    'organization?',
    'created=created_at?',
  ],
  Team: ['id', 'name', 'token=api_token?'],
  Member: [
    'email=user.email',
    ['name', ({ user }) => fullName(user)],
    ['level', ({ level }) => levelName(level)],
    'uuid=user.uuid',
    'two-factor=is_2fa_enabled?',
    'joined=joined_at?',
  ],
  Invite: INVITE,
  InviteCreated: INVITE,
  Domain: [
    'id',
    'domain',
    'verified=is_verified',
    'sign-in=sso_enforcement?',
    'record=verification_record_name?',
    'value=verification_challenge?',
  ],
  Alert: [
    'name',
    'channel',
    ['to', ({ url, emails }) => url ?? emails],
    'triggers',
    ['state', ({ enabled }) => (enabled ? 'on' : 'off')],
    'error=latest_error?',
    'last message=last_triggered_at?',
    'id?',
  ],
  Activity: [
    'time=created_at',
    ['actor', ({ actor, user }) => valueAt(user, 'email') ?? actor],
    'area',
    'activity',
    ['item', ({ item_name, item_id }) => item_name ?? item_id],
    'address?',
  ],
  Session: [
    'id',
    'method',
    'address',
    'last used=last_used_at',
    ['this one', ({ is_current }) => (is_current ? 'yes' : '')],
    'browser=user_agent?',
  ],
  ApiKey: ['id', 'label', 'key=mask_value', 'scopes', 'last used=last_used_at', 'expires=expires_at?'],
  BatchExport: [
    'name',
    'destination=destination.type',
    'interval',
    ['state', ({ paused }) => (paused ? 'paused' : 'active')],
    [
      'last run',
      ({ latest_runs }) => {
        const run = Array.isArray(latest_runs) ? latest_runs[0] : undefined
        return (
          run &&
          `${run.status} ${String(run.finished_at ?? run.created_at)
            .slice(0, 16)
            .replace('T', ' ')}`
        )
      },
    ],
    'id?',
    'project=team_id?',
    'next run=next_run_at?',
  ],
  BatchExportRun: RUN,
  Backfill: [
    'id',
    'status',
    'start=start_at',
    'end=end_at',
    ['windows', ({ windows_completed, windows_total }) => `${windows_completed}/${windows_total ?? '?'}`],
    'rows=records_completed',
    'error=latest_error?',
  ],
  BatchExportLogEntry: LOG,
  Person: [
    'id',
    ['email', ({ properties }) => valueAt(properties, 'email')],
    'distinct ids=distinct_ids',
    ['identified', ({ is_identified }) => (is_identified ? 'yes' : 'no')],
    'created=created_at',
  ],
  PluginLogEntry: ['time=timestamp', 'type', 'source', 'message'],
  PluginFailedDelivery: [
    'id',
    'failed=failed_at',
    'function',
    'event',
    'attempts',
    ['replay', ({ replay_requested_at }) => (replay_requested_at === null ? '' : 'waiting')],
    'error',
    'uuid=event_uuid?',
  ],
  PluginTestEvent: [
    'name',
    ['event', ({ event }) => valueAt(event, 'event')],
    ['expects', ({ expected }) => (expected === null ? 'success' : Object.keys(Object(expected)).join(', '))],
    'updated=updated_at?',
    'id?',
  ],
  PluginMetric: [
    'hour',
    'calls=category',
    'ok=successes',
    'retried=successes_on_retry',
    'failed=failures',
    'dropped',
    'changed',
    'ms=milliseconds',
  ],
  Integration: [
    'name',
    'kind',
    [
      'sent to',
      ({ config }) =>
        ['host', 'url', 'account', 'endpoint_url', 'region'].map((key) => valueAt(config, key)).find(Boolean),
    ],
    'exports=batch_exports_count',
    'secrets changed=secrets_changed_at',
    'id?',
  ],
  Plugin: PLUGIN,
  PluginWithActivity: [
    'id',
    'name',
    [
      'last activity',
      ({ activity }) => {
        const entry = Array.isArray(activity) ? activity[0] : undefined
        return entry && [entry.activity, entry.created_at].filter(Boolean).join(' ')
      },
    ],
    'url?',
  ],
  CatalogPlugin: ['name', 'url', 'maintainer?', 'verified?', 'description?'],
  PluginConfig: ['id', 'name', 'plugin', 'enabled', 'order', 'updated=updated_at'],
  Event: ['time=timestamp', 'event', 'distinct id=distinct_id', 'id?'],
  EventInterval: ['from=start', 'count'],
  EventName: ['name', 'count'],
  EventValue: ['name', 'count'],
}

/** Undefined for rows without a choice: all of their scalars are shown. */
export function columnsOf(schema: string | undefined): Column[] | undefined {
  const shown = schema === undefined ? undefined : COLUMNS[schema as SchemaName]
  return shown?.length ? shown.map(toColumn) : undefined
}

/** The columns of a list inside a resource, by its name. */
export const nestedColumns = (name: string): Column[] | undefined =>
  columnsOf({ latest_runs: 'BatchExportRun', teams: 'Team', activity: undefined }[name])

export function toColumn(shown: Shown): Column {
  if (typeof shown !== 'string') return { heading: shown[0], value: shown[1] }
  const { heading, path, isOptional } = parseColumn(shown)
  return { heading, value: (row) => valueAt(row, path), isOptional, field: path }
}

export function parseColumn(shown: string): { heading: string; path: string; isOptional: boolean } {
  const isOptional = shown.endsWith('?')
  const text = isOptional ? shown.slice(0, -1) : shown
  const at = text.indexOf('=')
  return { heading: at < 0 ? text : text.slice(0, at), path: text.slice(at + 1), isOptional }
}
