import { forbidden, invalid, notFound } from '../errors.ts'
import type { Ids } from '../ids.ts'
import { type NoticeDeps, notifyUser } from '../mail/notices.ts'
import type { Db } from '../sql/db.ts'
import { type Actor, recordForUser, type UserActor } from '../store/activity_log.ts'
import * as store from '../store/api_keys.ts'
import { fieldChanges, secretChange } from '../store/field-changes.ts'
import { encloses, type KeyRestrictions, UNRESTRICTED } from '../store/key-restrictions.ts'
import { organizationFor, projectFor, requireExisting } from './access.ts'
import type { Caller } from './caller.ts'
import { sha256 } from './hash.ts'
import { requireSecondFactorFor } from './session-rules.ts'

const MAX_ACTIVE_KEYS = 10
const RESTRICTIONS = ['scoped_organizations', 'scoped_teams']
const KEY_ID = /^[0-9A-Za-z]{1,50}$/

/** The fields a caller may set. `expires_at` is in stored form. */
export interface KeyInput {
  label?: string
  scopes?: store.Scope[]
  scoped_organizations?: string[]
  scoped_teams?: number[]
  expires_at?: string | null
}

export type NewKey = Pick<store.ApiKey, 'user_id' | 'label' | 'restrictions' | 'expires_at'> & {
  scopes: readonly string[]
}

/** The value is not stored. This is its only copy. */
export type KeyWithValue = store.ApiKey & { value: string }

/** Creates a key without checking the permissions of a caller. */
export async function issue(db: Db, ids: Ids, now: string, key: NewKey): Promise<KeyWithValue> {
  const value = ids.keyValue()
  const created = await store.create(db, {
    ...key,
    id: ids.keyId(),
    value_hash: sha256(value),
    mask_value: maskOf(value),
    now,
  })
  return { ...created, value }
}

type KeyActivity = 'created' | 'updated' | 'rolled' | 'revoked'

/** Records a change of a key in every organization that it may access, before or after the change. */
export function recordKeyActivity(
  tx: Db,
  ids: Ids,
  now: string,
  actor: Actor,
  activity: KeyActivity,
  { before, after }: { before?: store.ApiKey; after?: store.ApiKey },
): Promise<void> {
  const states = [before, after].filter((key) => key !== undefined)
  const [key] = states
  if (!key) throw new Error('A change of a key needs its state before or after.')
  const fieldsOf = (state: store.ApiKey | undefined): object => (state ? visibleFields(state) : {})
  const changes =
    activity === 'rolled'
      ? [secretChange('value')]
      : activity === 'revoked'
        ? []
        : fieldChanges(fieldsOf(before), fieldsOf(after))
  const entry = { area: 'api_keys', activity, item_id: key.id, item_name: (after ?? key).label, changes } as const
  const restrictions = states.map((state) => state.restrictions)
  return recordForUser(tx, ids, now, actor, key.user_id, entry, restrictions)
}

const visibleFields = ({ label, scopes, restrictions, expires_at }: store.ApiKey): object => ({
  label,
  scopes,
  scoped_organizations: restrictions.organizations,
  scoped_teams: restrictions.projects,
  expires_at,
})

/** The first and last characters, enough to recognize a key. */
const maskOf = (value: string): string => `${value.slice(0, 4)}...${value.slice(-4)}`

export async function get({ db }: { db: Db }, { user }: Caller, id: string): Promise<store.ApiKey> {
  const key = KEY_ID.test(id) ? await store.get(db, user.id, id) : undefined
  if (!key) throw notFound()
  return key
}

export async function create(
  deps: NoticeDeps & { db: Db },
  caller: Caller,
  actor: UserActor,
  input: KeyInput & { label: string; scopes: store.Scope[] },
): Promise<KeyWithValue> {
  const { db, ids, now, mailer } = deps
  const restrictions = await requestedRestrictions(db, caller, input)
  const expires_at = requestedExpiry(now(), input.expires_at)
  requireNoMoreAccess(caller, { restrictions, expires_at })
  await requireSecondFactorFor(db, caller, [restrictions])
  const created = await db.tx(async (tx) => {
    if ((await store.countActive(tx, caller.user.id, now())) >= MAX_ACTIVE_KEYS)
      throw invalid(null, `A user can have at most ${MAX_ACTIVE_KEYS} active keys. Revoke one.`)
    const { label, scopes } = input
    const key = await issue(tx, ids, now(), {
      user_id: caller.user.id,
      label,
      scopes: [...new Set(scopes)],
      restrictions,
      expires_at,
    })
    await recordKeyActivity(tx, ids, now(), actor, 'created', { after: key })
    await notifyUser(deps, tx, caller.user, 'key_created', label)
    return key
  })
  mailer?.wake()
  return created
}

export async function update(
  { db, ids, now }: { db: Db; ids: Ids; now: () => string },
  caller: Caller,
  actor: UserActor,
  key: store.ApiKey,
  input: KeyInput,
): Promise<store.ApiKey> {
  requireNoMoreAccess(caller, key)
  const requested = await requestedRestrictions(db, caller, input, key.restrictions)
  return db.tx(async (tx) => {
    const locked = await store.lockApiKey(tx, key.id)
    if (!locked) throw notFound()
    requireNoMoreAccess(caller, locked)
    const { label = locked.label, scopes = locked.scopes } = input
    const restrictions = {
      organizations: input.scoped_organizations ? requested.organizations : locked.restrictions.organizations,
      projects: input.scoped_teams ? requested.projects : locked.restrictions.projects,
    }
    const expires_at = requestedExpiry(now(), input.expires_at, locked.expires_at)
    requireNoMoreAccess(caller, { restrictions, expires_at })
    const updated = { ...locked, label, scopes: [...new Set(scopes)], restrictions, expires_at }
    const changed = fieldChanges(visibleFields(locked), visibleFields(updated)).map(({ field }) => field)
    if (changed.length === 0) return locked
    if (caller.key && caller.key.id !== locked.id && changed.some((field) => RESTRICTIONS.includes(field)))
      throw forbidden('A key cannot change the restrictions of another key. Sign in.')
    if (changed.some((field) => field !== 'label'))
      await requireSecondFactorFor(tx, caller, [locked.restrictions, restrictions])
    await recordKeyActivity(tx, ids, now(), actor, 'updated', { before: locked, after: updated })
    return store.update(tx, updated)
  })
}

/** Replaces the value of a key. The old value stops working. */
export async function roll(
  { db, ids, now }: { db: Db; ids: Ids; now: () => string },
  caller: Caller,
  actor: UserActor,
  key: store.ApiKey,
): Promise<KeyWithValue> {
  requireNoMoreAccess(caller, key)
  await requireSecondFactorFor(db, caller, [key.restrictions])
  const value = ids.keyValue()
  return db.tx(async (tx) => {
    const rolled = await store.roll(tx, key.id, { value_hash: sha256(value), mask_value: maskOf(value) })
    if (!rolled) throw notFound()
    await recordKeyActivity(tx, ids, now(), actor, 'rolled', { after: rolled })
    return { ...rolled, value }
  })
}

export async function revoke(
  { db, ids, now }: { db: Db; ids: Ids; now: () => string },
  caller: Caller,
  actor: UserActor,
  key: store.ApiKey,
): Promise<void> {
  requireNoMoreAccess(caller, key)
  await db.tx(async (tx) => {
    if (!(await store.remove(tx, key.id))) throw notFound()
    await recordKeyActivity(tx, ids, now(), actor, 'revoked', { before: key })
  })
}

/** The restrictions after a change. The caller must have access to every added organization and project. */
async function requestedRestrictions(
  db: Db,
  caller: Caller,
  { scoped_organizations, scoped_teams }: KeyInput,
  present: KeyRestrictions = UNRESTRICTED,
): Promise<KeyRestrictions> {
  return {
    organizations:
      scoped_organizations === undefined || isSame(scoped_organizations, present.organizations)
        ? present.organizations
        : await visibleIds('scoped_organizations', scoped_organizations, (id) => organizationFor(db, caller, id)),
    projects:
      scoped_teams === undefined || isSame(scoped_teams, present.projects)
        ? present.projects
        : await visibleIds('scoped_teams', scoped_teams, (id) => projectFor(db, caller, String(id))),
  }
}

const isSame = <Id>(sent: readonly Id[], present: readonly Id[] | null): boolean =>
  JSON.stringify(sent) === JSON.stringify(present ?? [])

/** The ids in stored form, null for an empty list. Throws when the caller cannot access one of them. */
async function visibleIds<Id>(
  attr: string,
  sent: readonly Id[],
  find: (id: Id) => Promise<{ id: Id }>,
): Promise<Id[] | null> {
  const ids: Id[] = []
  for (const [index, id] of sent.entries()) ids.push((await requireExisting(`${attr}__${index}`, find(id))).id)
  return ids.length ? ids : null
}

/** The expiry after a change. A new expiry must be in the future. */
function requestedExpiry(now: string, sent: string | null | undefined, present: string | null = null): string | null {
  if (sent === undefined || sent === present) return present
  if (present !== null && present <= now) throw invalid('expires_at', 'This key has expired. Create a new one.')
  if (sent !== null && sent <= now) throw invalid('expires_at', '`expires_at` must be in the future, or null.')
  return sent
}

/** A key can only manage keys that have no more access and expire no later than itself. */
function requireNoMoreAccess(
  own: Pick<Caller, 'restrictions' | 'expires_at'>,
  other: Pick<store.ApiKey, 'restrictions' | 'expires_at'>,
): void {
  const outlives = own.expires_at !== null && (other.expires_at === null || other.expires_at > own.expires_at)
  if (!encloses(own.restrictions, other.restrictions) || outlives)
    throw forbidden('That key has more access or a later expiry than the key of this request. Use another key.')
}
