/** Single sign-on providers on loopback. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { ORIGIN } from '../browser.ts'
import type { Json } from '../json.ts'

export const CLIENT = { id: 'workspace', secret: 'a-secret-of-the-client' }

export interface Provider {
  /** The issuer of the provider, or the address of its site. */
  url: string
  /** The claims of each user, by subject. Changes take effect at the next sign-in. */
  users: Map<string, Record<string, unknown>>
  /** Signs a user in at the provider's page and returns the path that it redirects to. */
  authorize(page: string, subject: string): Promise<string>
}

async function listen(t: Test, listener: RequestListener): Promise<{ url: string }> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const pathOf = (location: string): string => {
  const { hostname, pathname, search } = new URL(location)
  if (hostname !== new URL(ORIGIN).hostname) throw new Error(`redirected to ${location}`)
  return pathname + search
}

const OIDC_PROVIDER: string = 'oidc-provider'

export interface OpenIdProvider extends Provider {
  /** The key with the id `test`. */
  key: KeyObject
  /** Changes the JSON of the responses to a path. */
  tamper: Map<string, (body: Json) => unknown>
}

/** Changes the JSON that a response ends with. */
function tamperWith(response: ServerResponse, change: (body: Json) => unknown): void {
  const end = response.end.bind(response)
  response.end = (text: unknown) => {
    const changed = JSON.stringify(change(JSON.parse(String(text))))
    response.setHeader('content-length', Buffer.byteLength(changed))
    return end(changed)
  }
}

/** OpenID Connect with discovery, PKCE and a sign-in page without a form. */
export async function openOpenIdProvider(t: Test): Promise<OpenIdProvider> {
  // The provider prints warnings for operators.
  const { info, warn } = console
  console.info = console.warn = () => undefined
  t.teardown(() => Object.assign(console, { info, warn }))

  const users: Provider['users'] = new Map()
  const tamper: OpenIdProvider['tamper'] = new Map()
  let subject = ''
  let handle: RequestListener = () => undefined
  const { url } = await listen(t, (request, response) => handle(request, response))
  const { default: OidcProvider } = await import(OIDC_PROVIDER)
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const provider = new OidcProvider(url, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: ['oidc', 'google-oauth2', 'gitlab'].map((name) => `${ORIGIN}/complete/${name}/`),
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'test' }] },
    cookies: { keys: ['test'] },
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'given_name', 'family_name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub, ...users.get(sub) }) }),
    // Grants every consent.
    loadExistingGrant: async ({ oidc }: Json) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
    ttl: { AccessToken: 600, AuthorizationCode: 600, IdToken: 600, Interaction: 600, Grant: 600, Session: 600 },
  })
  const callback = provider.callback()
  handle = (request, response) => {
    const change = tamper.get(request.url ?? '')
    if (change) tamperWith(response, change)
    if (!request.url?.startsWith('/interaction/')) return callback(request, response)
    const result = subject ? { login: { accountId: subject } } : { error: 'access_denied', error_description: 'secret' }
    provider.interactionFinished(request, response, result).catch((error: unknown) => {
      response.statusCode = 500
      response.end(String(error))
    })
  }

  return {
    url,
    users,
    key: privateKey,
    tamper,
    authorize: async (page, chosen) => {
      subject = chosen
      const cookies = new Map<string, string>()
      let location = page
      while (location.startsWith(url)) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const response = await fetch(location, { redirect: 'manual', headers: { cookie } })
        for (const line of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
          cookies.set(name, value)
        }
        const next = response.headers.get('location')
        if (next === null) throw new Error(`${location}: ${response.status} ${await response.text()}`)
        location = new URL(next, location).href
      }
      return pathOf(location)
    },
  }
}

/** GitHub: OAuth 2 without an id token, and the profile from its API. Errors of the token endpoint have status 200. */
export async function openGitHub(t: Test): Promise<Provider> {
  const users: Provider['users'] = new Map()
  const codes = new Map<string, { subject: string; challenge: string }>()
  const tokens = new Map<string, string>()
  let subject = ''

  const { url } = await listen(t, async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://github.invalid')
    const reply = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
    }
    if (pathname === '/login/oauth/authorize') {
      const code = randomBytes(10).toString('hex')
      codes.set(code, { subject, challenge: searchParams.get('code_challenge') ?? '' })
      const target = new URL(searchParams.get('redirect_uri') ?? '')
      target.searchParams.set('code', code)
      target.searchParams.set('state', searchParams.get('state') ?? '')
      response.writeHead(302, { location: target.href }).end()
    } else if (pathname === '/login/oauth/access_token') {
      let text = ''
      for await (const chunk of request) text += chunk
      const form = new URLSearchParams(text)
      const code = codes.get(form.get('code') ?? '')
      codes.delete(form.get('code') ?? '')
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      if (form.get('client_secret') !== CLIENT.secret) return reply(200, { error: 'incorrect_client_credentials' })
      if (code?.challenge !== challenge) return reply(200, { error: 'bad_verification_code' })
      const access_token = `gho_${randomBytes(10).toString('hex')}`
      tokens.set(access_token, code.subject)
      reply(200, { access_token, scope: 'user:email', token_type: 'bearer' })
    } else {
      const user = users.get(tokens.get(request.headers.authorization?.slice('Bearer '.length) ?? '') ?? '')
      if (!user) return reply(401, { message: 'Bad credentials' })
      const { emails, ...profile } = user
      if (pathname === '/user') return reply(200, profile)
      if (pathname === '/user/emails') return reply(200, emails)
      reply(404, { message: 'Not Found' })
    }
  })

  return {
    url,
    users,
    authorize: async (page, chosen) => {
      subject = chosen
      const response = await fetch(page, { redirect: 'manual' })
      return pathOf(response.headers.get('location') ?? '')
    },
  }
}
