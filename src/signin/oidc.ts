/** OpenID Connect and OAuth 2: Google, GitLab, GitHub and one provider of the operator. */
import type * as openid from 'openid-client'
import { type Config, isSecureUrl } from '../config.ts'
import type { SignInService } from './service.ts'
import { type Assertion, SsoError } from './sso.ts'
import { derived, saveRequest, useRequest } from './sso-requests.ts'

export interface ProviderSettings {
  client_id: string
  client_secret: string
  /** The OpenID issuer; for GitHub, the address of the site. */
  issuer: string
  /** GitHub only: the address of the API. */
  api_url?: string | undefined
}

export type Providers = Partial<Record<OAuthProvider, ProviderSettings>>

/** The settings of each provider: client id, client secret, issuer, address of the API. */
const SETTINGS = {
  'google-oauth2': [
    'SOCIAL_AUTH_GOOGLE_OAUTH2_KEY',
    'SOCIAL_AUTH_GOOGLE_OAUTH2_SECRET',
    'SOCIAL_AUTH_GOOGLE_OAUTH2_ISSUER',
  ],
  github: [
    'SOCIAL_AUTH_GITHUB_KEY',
    'SOCIAL_AUTH_GITHUB_SECRET',
    'SOCIAL_AUTH_GITHUB_URL',
    'SOCIAL_AUTH_GITHUB_API_URL',
  ],
  gitlab: ['SOCIAL_AUTH_GITLAB_KEY', 'SOCIAL_AUTH_GITLAB_SECRET', 'SOCIAL_AUTH_GITLAB_API_URL'],
  oidc: ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ISSUER'],
} as const satisfies Record<string, (keyof Config)[]>

export type OAuthProvider = keyof typeof SETTINGS

const isProvider = (name: string): name is OAuthProvider => Object.hasOwn(SETTINGS, name)

/** A provider is configured when it has a client id and a client secret. */
export function providersOf(config: Pick<Config, (typeof SETTINGS)[OAuthProvider][number]>): Providers {
  const providers: Providers = {}
  for (const [name, settings] of Object.entries(SETTINGS)) {
    const [client_id, client_secret, issuer, api_url] = settings.map((setting) => config[setting])
    if (isProvider(name) && client_id && client_secret && issuer)
      providers[name] = { client_id, client_secret, issuer, api_url }
  }
  return providers
}

export interface Sso extends SignInService {
  providers: Providers
  /** The public address of this server. */
  site_url: string
}

/** The settings of a provider. Throws SsoError for an unknown one and for one that is not configured. */
function settingsOf({ providers }: Sso, name: string): [OAuthProvider, ProviderSettings] {
  if (!isProvider(name)) throw new SsoError('invalid_sso_provider', `unknown provider ${name}`)
  const settings = providers[name]
  if (!settings) throw new SsoError('improperly_configured_sso', `${name} is not configured`)
  return [name, settings]
}

/** Discovered configurations. A failed discovery is retried. */
const configurations = new WeakMap<ProviderSettings, Promise<openid.Configuration>>()

async function configurationOf(
  client: typeof openid,
  provider: OAuthProvider,
  settings: ProviderSettings,
): Promise<openid.Configuration> {
  const { client_id, client_secret, issuer } = settings
  const isLocal = issuer.startsWith('http://') && isSecureUrl(new URL(issuer))
  if (provider === 'github') {
    const server = {
      issuer,
      authorization_endpoint: `${issuer}/login/oauth/authorize`,
      token_endpoint: `${issuer}/login/oauth/access_token`,
    }
    const configuration = new client.Configuration(server, client_id, {}, client.ClientSecretPost(client_secret))
    if (isLocal) client.allowInsecureRequests(configuration)
    return configuration
  }
  const known = configurations.get(settings)
  if (known) return known
  const found = discover(client, settings, isLocal)
  configurations.set(settings, found)
  found.catch(() => configurations.delete(settings))
  return found
}

/** By default the library trusts the TLS connection. Here it also verifies signatures, with the keys of the provider. */
async function discover(
  client: typeof openid,
  { issuer, client_id, client_secret }: ProviderSettings,
  isLocal: boolean,
): Promise<openid.Configuration> {
  const execute = [client.enableNonRepudiationChecks, ...(isLocal ? [client.allowInsecureRequests] : [])]
  const configuration = await client.discovery(new URL(issuer), client_id, client_secret, undefined, { execute })
  const { authorization_endpoint, token_endpoint, userinfo_endpoint, jwks_uri } = configuration.serverMetadata()
  for (const endpoint of [authorization_endpoint, token_endpoint, userinfo_endpoint, jwks_uri])
    if (endpoint !== undefined && !isSecureUrl(new URL(endpoint))) throw new Error(`${endpoint} must use https`)
  return configuration
}

const redirectUri = ({ site_url }: Sso, provider: OAuthProvider): string => `${site_url}/complete/${provider}/`

export interface BeginInput {
  provider: string
  /** The value of the browser's cookie. */
  browser: string
  email: string | undefined
  next: string | undefined
  invite_id: string | null
}

/** Returns the address of the provider's sign-in page. */
export async function beginOAuth(sso: Sso, input: BeginInput): Promise<string> {
  const [provider, settings] = settingsOf(sso, input.provider)
  const client = await import('openid-client')
  const configuration = await configurationOf(client, provider, settings).catch((error) => {
    throw new SsoError('improperly_configured_sso', `discovery failed: ${String(error)}`)
  })
  const state = sso.ids.sessionToken()
  const { browser, next, invite_id, email } = input
  await saveRequest(sso, { id: state, provider, domain_id: null, browser, next, invite_id })
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri(sso, provider),
    scope: provider === 'github' ? 'user:email' : 'openid email profile',
    state,
    code_challenge: await client.calculatePKCECodeChallenge(derived('pkce', browser)),
    code_challenge_method: 'S256',
    ...(provider !== 'github' && { nonce: derived('nonce', browser) }),
    ...(email !== undefined && { login_hint: email }),
  })
  return url.href
}

export interface CompleteInput {
  provider: string
  /** The query string of the redirect. */
  search: string
  state: string | undefined
  browser: string | undefined
}

export interface Completed {
  assertion: Assertion
  next: string
  invite_id: string | null
}

/** Verifies the provider's response. Throws SsoError. Text from the provider is only logged. */
export async function completeOAuth(sso: Sso, { search, state, browser, ...input }: CompleteInput): Promise<Completed> {
  const [provider, settings] = settingsOf(sso, input.provider)
  if (state === undefined) throw new SsoError('state_mismatch', 'no state')
  const request = await useRequest(sso, state, browser)
  if (request.provider !== provider || browser === undefined)
    throw new SsoError('state_mismatch', 'the request was for another provider')
  try {
    const client = await import('openid-client')
    const configuration = await configurationOf(client, provider, settings)
    const url = new URL(`${redirectUri(sso, provider)}${search}`)
    const tokens = await client.authorizationCodeGrant(configuration, url, {
      pkceCodeVerifier: derived('pkce', browser),
      expectedState: state,
      ...(provider !== 'github' && { expectedNonce: derived('nonce', browser), idTokenExpected: true }),
    })
    const profile =
      provider === 'github'
        ? await githubProfile(settings, tokens.access_token)
        : await openidProfile(client, configuration, tokens)
    const { next, invite_id } = request
    return { assertion: { ...profile, issuer: settings.issuer, provider, domain_id: null }, next, invite_id }
  } catch (error) {
    if (error instanceof SsoError) throw error
    throw new SsoError('sso_failed', String(error))
  }
}

type Profile = Pick<Assertion, 'subject' | 'email' | 'email_verified' | 'first_name' | 'last_name'>

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

async function openidProfile(
  client: typeof openid,
  configuration: openid.Configuration,
  tokens: Awaited<ReturnType<typeof openid.authorizationCodeGrant>>,
): Promise<Profile> {
  const claims = tokens.claims()
  if (!claims) throw new SsoError('sso_failed', 'no id token')
  const info: Record<string, unknown> = configuration.serverMetadata().userinfo_endpoint
    ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
    : {}
  // `email_verified` is about the address beside it, so both come from the same response.
  const { email, email_verified } = text(info.email) ? info : claims
  const { given_name, family_name, name } = { ...claims, ...info }
  if (!text(email)) throw new SsoError('email_not_verified', 'the provider sent no address')
  return {
    subject: claims.sub,
    email: text(email),
    email_verified: email_verified === true,
    first_name: text(given_name) || text(name),
    last_name: text(family_name),
  }
}

/** GitHub has no id token. Its addresses come from a separate endpoint; the primary verified one is used. */
async function githubProfile({ issuer, api_url = issuer }: ProviderSettings, access_token: string): Promise<Profile> {
  const get = async (path: string): Promise<unknown> => {
    const response = await fetch(`${api_url}${path}`, {
      headers: { authorization: `Bearer ${access_token}`, accept: 'application/vnd.github+json' },
      signal: AbortSignal.timeout(10_000),
    })
    if (!response.ok) throw new SsoError('sso_failed', `GitHub returned ${response.status} for ${path}`)
    return response.json()
  }
  const [user, emails] = await Promise.all([get('/user'), get('/user/emails')])
  const { id, name } = isRecord(user) ? user : {}
  if (typeof id !== 'number') throw new SsoError('sso_failed', 'GitHub sent no id')
  const primary = (Array.isArray(emails) ? emails : []).filter(isRecord).find((one) => one.primary === true)
  if (!primary || !text(primary.email)) throw new SsoError('email_not_verified', 'GitHub sent no primary address')
  const [first_name = '', ...rest] = text(name).split(' ')
  return {
    subject: String(id),
    email: text(primary.email),
    email_verified: primary.verified === true,
    first_name,
    last_name: rest.join(' '),
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
