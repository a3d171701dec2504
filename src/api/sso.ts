import { isUuid } from '../auth/access.ts'
import { BROWSER_COOKIE, LINK_COOKIE } from '../auth/cookie-names.ts'
import type { Client } from '../auth/sessions.ts'
import type { Deps } from '../deps.ts'
import { reportFailedSso } from '../signin/failed-sso.ts'
import { beginOAuth, type Completed, completeOAuth } from '../signin/oidc.ts'
import { beginSaml, completeSaml, metadata, type SamlSso } from '../signin/saml.ts'
import { SsoError, signInWithSso } from '../signin/sso.ts'
import { areaLog } from '../telemetry/log.ts'
import { type Area, type HandlerContext, RawResponse, type RequestUrl } from './handler-context.ts'
import { setSessionCookies } from './session.ts'

const REQUEST_SECONDS = 600

export const sso = (deps: Deps): Area<'sso'> => {
  const { signIn, ids, config } = deps
  const log = areaLog(deps.log, config, 'signin')
  const ssoFor = ({ origin }: RequestUrl): SamlSso => ({
    ...signIn,
    providers: deps.providers,
    saml: deps.saml,
    site_url: origin,
    has_site_url: config.SITE_URL !== undefined,
  })

  const complete = async (
    call: Pick<HandlerContext<'sso.complete'>, 'cookies' | 'client' | 'currentSession'>,
    { assertion, next, invite_id }: Completed,
  ): Promise<RawResponse> => {
    const { cookies, client } = call
    const replaces = await call.currentSession()
    const result = await signInWithSso(signIn, { assertion, client, replaces, invite_id })
    if ('link_token' in result) {
      cookies.set(LINK_COOKIE, result.link_token, { max_age_seconds: REQUEST_SECONDS })
      throw new SsoError('password_required', 'the account has a password')
    }
    setSessionCookies(cookies, result.token, signIn.limits.lifetime_hours)
    return redirect(next)
  }

  /** Failures redirect to the sign-in page. */
  const guarded = async (client: Client, work: () => Promise<RawResponse>): Promise<RawResponse> => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof SsoError)) throw error
      log.debug({ error_code: error.error_code, reason: error.message }, 'single sign-on failed')
      reportFailedSso(signIn, error, client)
      return redirect(`/login?error_code=${error.error_code}`)
    }
  }

  return {
    operations: {
      'sso.begin': ({ params: { provider }, query, cookies, url, client }) =>
        guarded(client, async () => {
          const { email, next } = query
          const invite_id = query.invite_id?.toLowerCase() ?? null
          if (invite_id !== null && !isUuid(invite_id))
            throw new SsoError('invalid_invite', 'the invite id is not a uuid')
          const browser = ids.sessionToken()
          const begin = provider === 'saml' ? beginSaml : beginOAuth
          const target = await begin(ssoFor(url), { provider, browser, email, next, invite_id })
          cookies.set(BROWSER_COOKIE, browser, { max_age_seconds: REQUEST_SECONDS, cross_site: true })
          return redirect(target)
        }),

      'sso.complete': (call) =>
        guarded(call.client, async () => {
          const { params, query, cookies, url } = call
          const browser = cookies.get(BROWSER_COOKIE)
          const input = { provider: params.provider, search: `?${url.search}`, state: query.state, browser }
          return complete(call, await completeOAuth(ssoFor(url), input))
        }),

      'sso.complete_saml': (call) =>
        guarded(call.client, async () => {
          const response = formText(call.body, 'SAMLResponse')
          const relay_state = formText(call.body, 'RelayState')
          const browser = call.cookies.get(BROWSER_COOKIE)
          const post = { response, relay_state, browser, idp_initiated: config.SAML_IDP_INITIATED }
          return complete(call, await completeSaml(ssoFor(call.url), post))
        }),

      'sso.metadata': async ({ url }) => new RawResponse('text/xml', await metadata({ site_url: url.origin })),
    },
  }
}

const redirect = (location: string): RawResponse => new RawResponse('text/plain', '', { location })

/** A field of the posted form. The form is not validated, so a field may be missing. */
function formText(form: object | undefined, name: string): string {
  const value: unknown = Object.entries(form ?? {}).find(([key]) => key === name)?.[1]
  return typeof value === 'string' ? value : ''
}
