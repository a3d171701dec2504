import * as rules from '../auth/api_keys.ts'
import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import * as store from '../store/api_keys.ts'
import type { Area, AreaAccess } from './handler-context.ts'
import { parseIsoTime } from './time.ts'

export const api_keys = (deps: Deps): Area<'api_keys', store.ApiKey> => ({
  subject: ({ params, caller }: AreaAccess<'api_keys'>) => rules.get(deps, caller, params.id),

  operations: {
    'api_keys.list': async ({ caller }) => (await store.list(deps.db, caller.user.id)).map(serializeApiKey),

    'api_keys.create': async ({ caller, actor, body }) =>
      serializeApiKey(await rules.create(deps, caller, actor, { ...body, expires_at: expiry(body) })),

    'api_keys.current': async ({ caller: { key } }) => {
      if (!key) throw notFound()
      return serializeApiKey(key)
    },

    'api_keys.retrieve': async ({ subject }) => serializeApiKey(subject),

    'api_keys.update': async ({ caller, actor, subject, body = {} }) =>
      serializeApiKey(await rules.update(deps, caller, actor, subject, { ...body, expires_at: expiry(body) })),

    'api_keys.roll': async ({ caller, actor, subject }) =>
      serializeApiKey(await rules.roll(deps, caller, actor, subject)),

    'api_keys.revoke': ({ caller, actor, subject }) => rules.revoke(deps, caller, actor, subject),
  },
})

/** The expiry in stored form; undefined when it was not sent. */
const expiry = ({ expires_at }: { expires_at?: string | null }): string | null | undefined =>
  typeof expires_at === 'string' ? parseIsoTime(expires_at, 'expires_at') : expires_at

/** `value` is present when the key was created or rolled. */
export function serializeApiKey(key: store.ApiKey & { value?: string }): components['schemas']['ApiKey'] {
  return {
    id: key.id,
    label: key.label,
    value: key.value ?? null,
    mask_value: key.mask_value,
    created_at: key.created_at,
    last_used_at: key.last_used_at,
    expires_at: key.expires_at,
    user_id: key.user_id,
    scopes: key.scopes,
    scoped_teams: [...(key.restrictions.projects ?? [])],
    scoped_organizations: [...(key.restrictions.organizations ?? [])],
  }
}
