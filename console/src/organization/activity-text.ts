/** The sentences of the activity log. */
import type { Schemas } from '../api.ts'
import { levelName, withArticle } from '../parts/levels.ts'

type Activity = Schemas['Activity']

export const AREAS: Record<string, string> = {
  organizations: 'Organization',
  members: 'Members',
  invites: 'Invites',
  domains: 'Domains',
  users: 'Accounts',
  api_keys: 'API keys',
  sessions: 'Sign-ins',
  projects: 'Projects',
  batch_exports: 'Exports',
  batch_export_runs: 'Export runs',
  alerts: 'Alerts',
  integrations: 'Credentials',
  plugins: 'Plugins',
  plugin_configs: 'Plugin configurations',
  persons: 'Persons',
}

/** By area and activity. `{item}` is replaced by the name of the item, `{level}` and `{a level}` by the new level. */
const SENTENCES: Record<string, Record<string, string>> = {
  organizations: {
    created: 'created the organization {item}',
    updated: 'changed the settings of {item}',
    deleted: 'deleted the organization {item}',
  },
  members: {
    joined: 'added {item} as {level}',
    updated: 'made {item} {a level}',
    removed: 'removed the member {item}',
    deactivated: 'deactivated the account of {item}',
  },
  invites: {
    created: 'invited {item} as {level}',
    deleted: 'revoked the invite to {item}',
    accepted: 'accepted the invite to {item}',
  },
  domains: {
    created: 'added the domain {item}',
    updated: 'changed the sign-in settings of {item}',
    verified: 'verified the domain {item}',
    deleted: 'deleted the domain {item}',
  },
  users: {
    password_changed: 'changed the password of {item}',
    email_changed: 'changed the email address of {item}',
    name_changed: 'changed the name of {item}',
    two_factor_enabled: 'turned on two-factor authentication for {item}',
    two_factor_disabled: 'turned off two-factor authentication for {item}',
    backup_codes_renewed: 'created new backup codes for {item}',
    sign_in_link_created: 'created a sign-in link for {item}',
    deactivated: 'deactivated the account of {item}',
    activated: 'activated the account of {item}',
  },
  api_keys: {
    created: 'created the API key {item}',
    updated: 'changed the API key {item}',
    rolled: 'replaced the value of the API key {item}',
    revoked: 'revoked the API key {item}',
  },
  sessions: {
    signed_in: 'signed in as {item}',
    sign_in_failed: 'failed to sign in as {item}',
    signed_out: 'signed out {item}',
    ended: 'ended a session of {item}',
  },
  projects: {
    created: 'created the project {item}',
    updated: 'changed the project {item}',
    token_reset: 'reset the token of the project {item}',
    deleted: 'deleted the project {item}',
  },
  batch_exports: {
    created: 'created the export {item}',
    updated: 'changed the export {item}',
    deleted: 'deleted the export {item}',
    paused: 'paused the export {item}',
    unpaused: 'resumed the export {item}',
    backfill_started: 'started a backfill of the export {item}',
    backfill_cancelled: 'cancelled a backfill of the export {item}',
  },
  batch_export_runs: {
    started: 'started a run of the export {item}',
    retried: 'retried a run of the export {item}',
    cancelled: 'cancelled a run of the export {item}',
  },
  alerts: {
    created: 'created the alert {item}',
    updated: 'changed the alert {item}',
    deleted: 'deleted the alert {item}',
  },
  integrations: {
    created: 'stored the credentials {item}',
    updated: 'changed the credentials {item}',
    deleted: 'deleted the credentials {item}',
  },
  plugins: {
    installed: 'installed the plugin {item}',
    updated: 'changed the plugin {item}',
    source_updated: 'changed the source of the plugin {item}',
    upgraded: 'upgraded the plugin {item}',
    uninstalled: 'uninstalled the plugin {item}',
  },
  plugin_configs: {
    config_created: 'configured the plugin {item}',
    config_updated: 'changed the configuration of the plugin {item}',
    config_deleted: 'deleted the configuration of the plugin {item}',
    enabled: 'enabled the plugin {item}',
    disabled: 'disabled the plugin {item}',
    order_changed: 'changed the order of the plugin {item}',
    job_started: 'started a job of the plugin {item}',
    deliveries_replayed: 'replayed failed deliveries of the plugin {item}',
    test_event_created: 'saved a test event of the plugin {item}',
    test_event_updated: 'changed a test event of the plugin {item}',
    test_event_deleted: 'deleted a test event of the plugin {item}',
  },
  persons: {
    deleted: 'deleted the person {item}',
  },
}

/** Where the actor is the item. */
const OWN_SENTENCES: Record<string, Record<string, string>> = {
  members: { joined: 'joined as {level}', removed: 'left the organization' },
  users: {
    password_changed: 'changed their password',
    email_changed: 'changed their email address',
    name_changed: 'changed their name',
    two_factor_enabled: 'turned on two-factor authentication',
    two_factor_disabled: 'turned off two-factor authentication',
    backup_codes_renewed: 'created new backup codes',
  },
  sessions: {
    signed_in: 'signed in',
    sign_in_failed: 'failed to sign in',
    signed_out: 'signed out',
    ended: 'ended one of their sessions',
  },
}

export function actorOf({ actor, user }: Activity): string {
  if (actor === 'user') return user ? user.first_name || user.email : 'A deleted user'
  return actor === 'operator' ? 'The operator' : 'The server'
}

/** The parts of a sentence around the name of its item. Without a name there is only the first part. */
export function sentenceOf(entry: Activity): { before: string; item: string | null; after: string } {
  const template =
    (isOwn(entry) ? OWN_SENTENCES[entry.area]?.[entry.activity] : undefined) ??
    SENTENCES[entry.area]?.[entry.activity] ??
    // A newer server has activities that this page does not know.
    `changed {item} (${(AREAS[entry.area] ?? entry.area).toLowerCase()}: ${entry.activity.replaceAll('_', ' ')})`
  const text = template
    .replace('{level}', newLevel(entry, levelName))
    .replace('{a level}', newLevel(entry, withArticle))
  const [before = '', after] = text.split('{item}')
  return {
    before,
    item: after === undefined ? null : (entry.item_name ?? entry.item_id ?? 'unnamed'),
    after: after ?? '',
  }
}

/** Sessions have an id of their own, and are named after their user. */
const isOwn = ({ user, item_id, item_name }: Activity): boolean =>
  user !== null && (item_id === user.uuid || item_name === user.email)

function newLevel({ changes }: Activity, name: (level: number) => string): string {
  const level = changes.find(({ field }) => field === 'level')?.after
  return typeof level === 'number' ? name(level) : 'another level'
}

/** A value of a change, as the page shows it. */
export function valueText(field: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return '(none)'
  if (field === 'level' && typeof value === 'number') return levelName(value)
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** For example "Destination config: bucket name". */
export function fieldText(field: string): string {
  const text = field.split('__').join(': ').replaceAll('_', ' ')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
