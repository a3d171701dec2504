/** The names and attributes of all cookies, on http and on https. */
import { Secret, TOTP } from 'otpauth'
import t, { type Test } from 'tap'
import type { Engine } from '../../src/sql/template.ts'
import * as users from '../../src/store/users.ts'
import { type ApiResponse, nextEngines, openApp, type TestApp } from '../helpers/app.ts'
import { type Browser, openBrowser } from '../helpers/browser.ts'
import { CLIENT, openGitHub, type Provider } from '../helpers/peers/providers.ts'

t.setTimeout(10 * 60_000)

const EMAIL = 'owner@example.com'
const PASSWORD = 'correct horse battery staple'
const ME = '/api/users/@me/'

interface World extends TestApp {
  github: Provider
}

async function openWorld(t: Test, engine: Engine, SITE_URL: string): Promise<World> {
  const github = await openGitHub(t)
  const app = await openApp(t, engine, {
    environment: {
      SITE_URL,
      SECRET_KEY: 'ab'.repeat(32),
      SOCIAL_AUTH_GITHUB_KEY: CLIENT.id,
      SOCIAL_AUTH_GITHUB_SECRET: CLIENT.secret,
      SOCIAL_AUTH_GITHUB_URL: github.url,
      SOCIAL_AUTH_GITHUB_API_URL: github.url,
    },
  })
  await app.deps.db.tx((tx) => users.verifyEmail(tx, 1))
  await app.setPassword(PASSWORD)
  github.users.set('owner', { id: 1, login: 'owner', emails: [{ email: EMAIL, verified: true, primary: true }] })
  return { ...app, github }
}

/** The `Set-Cookie` headers of a response by the name of the cookie. Values are replaced. */
const cookiesOf = ({ headers }: ApiResponse): Record<string, string> =>
  Object.fromEntries(
    [headers['set-cookie'] ?? []].flat().map((line) => {
      const [, name = '', attributes = ''] = /^([^=]+)=[^;]*; (.*)$/.exec(String(line)) ?? []
      return [name, attributes]
    }),
  )

const post = <const Path extends string>(browser: Browser, path: Path, body?: unknown) =>
  browser.send('POST', path, body === undefined ? {} : { body })

/** A browser with one cookie of another browser under another name. */
function withCookie(world: World, origin: string, name: string, value: string | undefined): Browser {
  if (value === undefined) throw new Error(`no value for ${name}`)
  const browser = openBrowser(world, origin)
  browser.cookies.set(name, value)
  return browser
}

for (const [scheme, prefix, otherPrefix, secure] of [
  ['http', '', '__Host-', ''],
  ['https', '__Host-', '', ' Secure;'],
] as const)
  for (const engine of nextEngines())
    t.test(`cookies on ${scheme} (${engine})`, async (t) => {
      const origin = `${scheme}://localhost`
      const world = await openWorld(t, engine, origin)
      const browser = openBrowser(world, origin)
      const login = (from: Browser) => post(from, '/api/login/', { email: EMAIL, password: PASSWORD })

      // SameSite=None needs Secure. On http the attribute is left out.
      const ssoAttributes = secure
        ? 'Max-Age=600; Path=/; HttpOnly; Secure; SameSite=None'
        : 'Max-Age=600; Path=/; HttpOnly'
      const begin = await browser.send('GET', '/login/github/')
      t.strictSame(cookiesOf(begin), { [`${prefix}workspace_sso`]: ssoAttributes }, 'a sign-on')
      const page = String(begin.headers.location)
      const linking = await browser.send('GET', await world.github.authorize(page, 'owner'))
      t.match(linking, { status: 302, headers: { location: '/login?error_code=password_required' } })
      const lax = (max_age: number): string => `Max-Age=${max_age}; Path=/; HttpOnly;${secure} SameSite=Lax`
      t.strictSame(cookiesOf(linking), { [`${prefix}workspace_link`]: lax(600) }, 'a sign-on that needs the password')

      const SESSION_SECONDS = 14 * 24 * 3_600
      const session = {
        [`${prefix}workspace_session`]: lax(SESSION_SECONDS),
        [`${prefix}workspace_csrf`]: `Max-Age=${SESSION_SECONDS}; Path=/;${secure} SameSite=Lax`,
      }
      const signedIn = await login(browser)
      t.equal(signedIn.status, 200)
      t.strictSame(cookiesOf(signedIn), { [`${prefix}workspace_link`]: lax(0), ...session }, 'a sign-in')
      t.match(await browser.send('GET', ME), { status: 200, body: { has_social_auth: true } }, 'the sign-on is linked')

      const token = browser.cookies.get(`${prefix}workspace_session`)
      const me = (name: string) => withCookie(world, origin, name, token).send('GET', ME)
      t.equal((await me(`${prefix}workspace_session`)).status, 200)
      t.match(
        await me(`${otherPrefix}workspace_session`),
        { status: 401, body: { code: 'not_authenticated' } },
        'the name of the other scheme is not read',
      )

      const setup = await post(browser, '/api/users/@me/two_factor_start_setup/')
      const totp = new TOTP({ secret: Secret.fromBase32(setup.body.secret) })
      const code = (): { token: string } => ({ token: totp.generate({ timestamp: world.deps.milliseconds() }) })
      t.equal((await post(browser, '/api/users/@me/two_factor_validate/', code())).status, 200)
      world.advance(30_000)

      const second = openBrowser(world, origin)
      const first_step = await login(second)
      t.match(first_step, { status: 401, body: { code: '2fa_required' } })
      t.strictSame(cookiesOf(first_step), { [`${prefix}workspace_sign_in`]: lax(600) }, 'the first of two steps')
      const pending = second.cookies.get(`${prefix}workspace_sign_in`)
      t.match(
        await post(withCookie(world, origin, `${otherPrefix}workspace_sign_in`, pending), '/api/login/token/', code()),
        { status: 400, body: { code: '2fa_expired' } },
        'the name of the other scheme is not read',
      )
      const completed = await post(second, '/api/login/token/', code())
      t.equal(completed.status, 200)
      t.strictSame(cookiesOf(completed), { [`${prefix}workspace_sign_in`]: lax(0), ...session }, 'the second step')

      const third = openBrowser(world, origin)
      const again = await third.send('GET', '/login/github/')
      const back = await world.github.authorize(String(again.headers.location), 'owner')
      const renamed = withCookie(
        world,
        origin,
        `${otherPrefix}workspace_sso`,
        third.cookies.get(`${prefix}workspace_sso`),
      )
      t.match(
        await renamed.send('GET', back),
        { status: 302, headers: { location: '/login?error_code=state_mismatch' } },
        'the name of the other scheme is not read',
      )

      const signedOut = await post(second, '/api/logout/')
      t.equal(signedOut.status, 204)
      t.strictSame(cookiesOf(signedOut), {
        [`${prefix}workspace_session`]: lax(0),
        [`${prefix}workspace_csrf`]: lax(0),
      })
      t.equal(second.cookies.size, 0, 'the browser deletes them')
    })

t.test('without SITE_URL, a trusted proxy decides about the scheme', async (t) => {
  for (const [TRUST_PROXY, name] of [
    ['true', '__Host-workspace_session'],
    ['false', 'workspace_session'],
  ] as const) {
    const app = await openApp(t, 'sqlite', { environment: { TRUST_PROXY } })
    await app.setPassword(PASSWORD)
    const signedIn = await app.send('POST', '/api/login/', {
      key: null,
      body: { email: EMAIL, password: PASSWORD },
      headers: { 'x-forwarded-proto': 'https' },
    })
    t.ok(name in cookiesOf(signedIn), `TRUST_PROXY=${TRUST_PROXY}`)
  }
})
