import { timingSafeEqual } from 'node:crypto'
import { bearer } from '../auth/caller.ts'
import type { Deps } from '../deps.ts'
import { forbidden, unavailable } from '../errors.ts'
import { ping, requireWrites } from '../store/installation.ts'
import type { Area } from './handler-context.ts'
import { contractDocument, referencePage, referenceScript } from './reference.ts'
import { sharedResponse } from './shared-document.ts'

export const service = ({ db, events, config, metrics, lifecycle, providers, mailer }: Deps): Area<'service'> => ({
  operations: {
    'service.live': async () => ({ status: 'ok' }),

    'service.ready': async () => {
      if (lifecycle.draining) throw unavailable('This server is shutting down. Retry on another one.')
      await ping(db)
      await requireWrites(db, 'installation')
      await requireWrites(events, 'event_store')
      return { status: 'ok' }
    },

    'service.preflight': async () => ({
      available_social_auth_providers: {
        'google-oauth2': 'google-oauth2' in providers,
        github: 'github' in providers,
        gitlab: 'gitlab' in providers,
        oidc: 'oidc' in providers,
      },
      email_service_available: mailer !== null,
    }),

    'service.metrics': async ({ peer, headers }) => {
      if (!peer.local && !hasToken(headers.authorization, config.METRICS_TOKEN))
        throw forbidden('Request metrics from loopback, or send the token that the operator set as METRICS_TOKEN.')
      return metrics.text()
    },

    'service.openapi': ({ headers }) =>
      sharedResponse(contractDocument(config.DIALECT), headers, {
        'cross-origin-resource-policy': 'cross-origin',
        'cache-control': 'public, max-age=300',
      }),

    'service.docs': async () => referencePage({ dialect: config.DIALECT, sendsRequests: true }),

    'service.docs_script': async ({ headers }) =>
      sharedResponse(await referenceScript(), headers, { 'cache-control': 'public, max-age=3600' }),
  },
})

function hasToken(authorization: string | undefined, token: string | undefined): boolean {
  const sent = Buffer.from(bearer(authorization) ?? '')
  const expected = Buffer.from(token ?? '')
  return expected.length > 0 && sent.length === expected.length && timingSafeEqual(sent, expected)
}
