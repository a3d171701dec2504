import { organizationFor, projectFor } from '../auth/access.ts'
import { issue, roll } from '../auth/api_keys.ts'
import type { Caller } from '../auth/caller.ts'
import type { Body } from '../contract/operations.ts'
import type { Deps } from '../deps.ts'
import { forbidden, invalid, notFound } from '../errors.ts'
import * as store from '../store/api_keys.ts'
import { EVERYTHING, encloses, type Reach } from '../store/key-restrictions.ts'
import type { Area } from './handler-context.ts'
import { parseTime } from './time.ts'
import * as wire from './wire.ts'

type Limits = Pick<NonNullable<Body<'api_keys.update'>>, 'scoped_organizations' | 'scoped_teams'>

const KEYS_PER_USER = 10
const KEY_ID = /^[0-9A-Za-z]{1,50}$/

export const api_keys = ({ db, ids, now }: Deps): Area<'api_keys', store.ApiKey> => {
  /** The restrictions of the key after the change. The caller must be able to see every added organization and project. */
  const requestedReach = async (caller: Caller, sent: Limits, present: Reach = EVERYTHING): Promise<Reach> => {
    const { scoped_organizations, scoped_teams } = sent
    return {
      organizations: isSame(scoped_organizations, present.organizations)
        ? present.organizations
        : await visible('scoped_organizations', scoped_organizations!, (id) => organizationFor(db, caller, id)),
      projects: isSame(scoped_teams, present.projects)
        ? present.projects
        : await visible('scoped_teams', scoped_teams!, (id) => projectFor(db, caller, String(id))),
    }
  }

  /** The expiry of the key after the change. A new one must be in the future. */
  const requestedEnd = (sent: string | null | undefined, present: string | null = null): string | null => {
    if (sent === undefined) return present
    const expires_at = sent === null ? null : parseTime(sent, 'expires_at')
    if (expires_at === present) return present
    if (present !== null && present <= now()) throw invalid('expires_at', 'This key has expired. Create a new one.')
    if (expires_at !== null && expires_at <= now())
      throw invalid('expires_at', 'A key cannot expire in the past. Send a later time, or none.')
    return expires_at
  }

  return {
    subject: async ({ params, caller }) => {
      const key = KEY_ID.test(params.id!) ? await store.get(db, caller.user.id, params.id!) : undefined
      if (!key) throw notFound()
      return key
    },

    operations: {
      'api_keys.list': async ({ caller }) => (await store.list(db, caller.user.id)).map(wire.apiKey),

      'api_keys.create': async ({ caller, body }) => {
        const reach = await requestedReach(caller, body)
        const expires_at = requestedEnd(body.expires_at)
        demandNoMore(caller.key, { reach, expires_at })
        const key = await db.tx(async (tx) => {
          if ((await store.countInForce(tx, caller.user.id, now())) >= KEYS_PER_USER)
            throw invalid(null, `A user has at most ${KEYS_PER_USER} keys. Revoke one you no longer use.`)
          const { label, scopes } = body
          return issue(tx, ids, now(), {
            user_id: caller.user.id,
            label,
            scopes: [...new Set(scopes)],
            reach,
            expires_at,
          })
        })
        return wire.apiKey(key)
      },

      'api_keys.current': async ({ caller }) => wire.apiKey(caller.key),

      'api_keys.retrieve': async ({ subject }) => wire.apiKey(subject),

      'api_keys.update': async ({ caller, subject, body = {} }) => {
        demandNoMore(caller.key, subject)
        const requested = await requestedReach(caller, body, subject.reach)
        const changed = await db.tx(async (tx) => {
          const held = await store.hold(tx, subject.id)
          if (!held) throw notFound()
          demandNoMore(caller.key, held)
          const { label = held.label, scopes = held.scopes } = body
          const reach = {
            organizations: body.scoped_organizations ? requested.organizations : held.reach.organizations,
            projects: body.scoped_teams ? requested.projects : held.reach.projects,
          }
          const expires_at = requestedEnd(body.expires_at, held.expires_at)
          demandNoMore(caller.key, { reach, expires_at })
          return store.update(tx, { ...held, label, scopes: [...new Set(scopes)], reach, expires_at })
        })
        return wire.apiKey(changed)
      },

      'api_keys.roll': async ({ caller, subject }) => {
        demandNoMore(caller.key, subject)
        const rolled = await roll(db, ids, subject.id)
        if (!rolled) throw notFound()
        return wire.apiKey(rolled)
      },

      'api_keys.revoke': async ({ caller, subject }) => {
        demandNoMore(caller.key, subject)
        if (!(await store.remove(db, subject.id))) throw notFound()
      },
    },
  }
}

const isSame = <Id>(sent: readonly Id[] | undefined, present: readonly Id[] | null): boolean =>
  sent === undefined || JSON.stringify(sent) === JSON.stringify(present ?? [])

/** The ids of the given organizations or projects; null for none. Throws when the caller cannot see one. */
async function visible<Id>(
  attr: string,
  sent: readonly Id[],
  find: (id: Id) => Promise<{ id: Id }>,
): Promise<Id[] | null> {
  const found: Id[] = []
  for (const [index, id] of sent.entries()) {
    const { id: own } = await find(id).catch((error: { code?: string }) => {
      if (error.code !== 'not_found') throw error
      const detail = 'There is no such thing within reach of this key. Send ids you can see.'
      throw invalid(`${attr}__${index}`, detail, 'does_not_exist')
    })
    found.push(own)
  }
  return found.length ? found : null
}

/** A key makes and handles keys that reach no further and live no longer than itself. */
function demandNoMore(own: store.ApiKey, other: Pick<store.ApiKey, 'reach' | 'expires_at'>): void {
  const outlives = own.expires_at !== null && (other.expires_at === null || other.expires_at > own.expires_at)
  if (!encloses(own.reach, other.reach) || outlives)
    throw forbidden('That key would reach further or live longer than this one. Use a key with fewer limits.')
}
