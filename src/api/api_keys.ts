import { organizationFor, projectFor } from '../auth/access.ts'
import { issue, roll } from '../auth/api_keys.ts'
import type { Caller } from '../auth/caller.ts'
import type { Body } from '../contract/operations.ts'
import type { Deps } from '../deps.ts'
import { forbidden, invalid, notFound } from '../errors.ts'
import * as store from '../store/api_keys.ts'
import { encloses, type Reach } from '../store/reach.ts'
import type { Area } from './call.ts'
import { parseTime } from './time.ts'
import * as wire from './wire.ts'

const KEYS_PER_USER = 10
const KEY_ID = /^[0-9A-Za-z]{1,50}$/

export const api_keys = ({ db, ids, now }: Deps): Area<'api_keys', store.ApiKey> => {
  /** The limits a new key is asked to have; each must be the caller's own to see. */
  const requestedReach = async (caller: Caller, body: Body<'api_keys.create'>): Promise<Reach> => {
    const { scoped_organizations = [], scoped_teams = [] } = body
    const missing = (attr: string, index: number) => (error: { code?: string }) => {
      if (error.code !== 'not_found') throw error
      throw invalid(
        `${attr}__${index}`,
        'There is no such thing within reach of this key. Send ids you can see.',
        'does_not_exist',
      )
    }
    const organizations: string[] = []
    for (const [index, id] of scoped_organizations.entries())
      organizations.push((await organizationFor(db, caller, id).catch(missing('scoped_organizations', index))).id)
    const projects: number[] = []
    for (const [index, id] of scoped_teams.entries())
      projects.push((await projectFor(db, caller, String(id)).catch(missing('scoped_teams', index))).id)
    return { organizations: organizations.length ? organizations : null, projects: projects.length ? projects : null }
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
        const expires_at = body.expires_at == null ? null : parseTime(body.expires_at, 'expires_at')
        if (expires_at !== null && expires_at <= now())
          throw invalid('expires_at', 'A key cannot expire in the past. Send a later time, or none.')
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

/** A key makes and handles keys that reach no further and live no longer than itself. */
function demandNoMore(own: store.ApiKey, other: Pick<store.ApiKey, 'reach' | 'expires_at'>): void {
  const outlives = own.expires_at !== null && (other.expires_at === null || other.expires_at > own.expires_at)
  if (!encloses(own.reach, other.reach) || outlives)
    throw forbidden('That key would reach further or live longer than this one. Use a key with fewer limits.')
}
