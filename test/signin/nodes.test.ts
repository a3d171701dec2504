/** Two nodes on one database: sessions and incomplete sign-ins work on both, and end on both immediately. */
import { request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { Secret, TOTP } from 'otpauth'
import t, { type Test } from 'tap'
import { type ApiResponse, type ENGINES, nextEngines, type SendOptions } from '../helpers/app.ts'
import { halfInQuick } from '../helpers/assertions/figures.ts'
import { type Browser, ORIGIN, openBrowser } from '../helpers/browser.ts'
import { CLIENT, openGitHub } from '../helpers/peers/providers.ts'
import { command, ended, type ServerProcess, setPassword } from '../helpers/programs/process.ts'
import { openSite, type Site } from '../helpers/programs/site.ts'

t.setTimeout(10 * 60_000)
halfInQuick(t)

const EMAIL = 'owner@example.com'
const PASSWORD = 'correct horse battery staple'
const OTHER_PASSWORD = 'four unrelated dictionary nouns'
const ME = '/api/users/@me/'
const ORGANIZATION = '/api/organizations/@current/'
const SESSIONS = `${ME}login_sessions/` as const

async function send<Body>(
  { url }: ServerProcess,
  method: string,
  path: string,
  { body, key = null, headers = {} }: SendOptions,
): Promise<ApiResponse<Body>> {
  const payload = body === undefined ? undefined : JSON.stringify(body)
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    const sent = {
      ...(payload !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(payload),
      }),
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...headers,
    }
    request(url + path, { method, headers: sent }, resolve)
      .on('error', reject)
      .end(payload)
  })
  const text = await readText(response)
  const json = response.headers['content-type']?.includes('json')
  const status = response.statusCode ?? 0
  const parsed = json ? JSON.parse(text) : undefined
  return { status, headers: response.headers, text, body: parsed, error: status >= 400 ? parsed : undefined }
}

/** A browser behind a load balancer: `on` chooses the node of the next request. */
interface RoamingBrowser {
  on(node: ServerProcess): Browser
}

function openRoamingBrowser(): RoamingBrowser {
  let node: ServerProcess
  const browser = openBrowser({ send: (method, path, options = {}) => send(node, method, path, options) })
  return {
    on: (next) => {
      node = next
      return browser
    },
  }
}

type Pair = [ServerProcess, ServerProcess]

async function openNodes(t: Test, engine: (typeof ENGINES)[number], environment = {}): Promise<Site & { nodes: Pair }> {
  const site = await openSite(t, engine, { environment: { SITE_URL: ORIGIN, ROLE: 'api', ...environment } })
  const [first] = site.servers
  const second = await site.start()
  await setPassword(site.database_url, EMAIL, PASSWORD)
  return { ...site, nodes: [first as ServerProcess, second] }
}

/** The status of a request on each node, without a pause between them and before any retry. */
const statuses = (browser: RoamingBrowser, nodes: Pair, path = ME): Promise<number[]> =>
  Promise.all(nodes.map(async (node) => (await browser.on(node).send('GET', path)).status))

for (const engine of nextEngines())
  t.test(`a session works on every node and ends on every node immediately (${engine})`, async (t) => {
    const { nodes, database_url, api_key, request } = await openNodes(t, engine)
    const [a, b] = nodes
    /** A session that was created on `node` and used on both, so that both could have cached it. */
    const signedIn = async (node: ServerProcess, password = PASSWORD): Promise<RoamingBrowser> => {
      const browser = openRoamingBrowser()
      await browser.on(node).signIn(EMAIL, password)
      for (let i = 0; i < 3; i++) t.strictSame(await statuses(browser, nodes), [200, 200], 'works on both nodes')
      return browser
    }
    const hasEnded = async (browser: RoamingBrowser, title: string) =>
      t.strictSame(await statuses(browser, nodes), [401, 401], `${title} ends it on both nodes`)
    const currentId = async (browser: RoamingBrowser) =>
      (await browser.on(a).send('GET', SESSIONS)).body.results.find((one) => one.is_current)?.id

    const leaving = await signedIn(a)
    t.equal(
      (await leaving.on(b).send('PATCH', ME, { body: { first_name: 'Ada' } })).status,
      200,
      'so does the CSRF token',
    )
    const before = [...leaving.on(b).cookies]
    t.equal((await leaving.on(b).send('POST', '/api/logout/')).status, 204)
    for (const [name, value] of before) leaving.on(a).cookies.set(name, value)
    await hasEnded(leaving, 'signing out on the other node')

    const staying = await signedIn(a)
    const ending = await signedIn(b)
    const id = await currentId(ending)
    t.equal((await staying.on(a).send('DELETE', `${SESSIONS}${id}/`)).status, 204)
    await hasEnded(ending, 'another session')

    const others = await signedIn(b)
    t.equal((await staying.on(a).send('POST', `${SESSIONS}end_others/`)).status, 204)
    await hasEnded(others, 'end_others')

    const outdated = await signedIn(a)
    const change = { password: OTHER_PASSWORD, current_password: PASSWORD }
    t.equal((await staying.on(b).send('PATCH', ME, { body: change })).status, 200)
    await hasEnded(outdated, 'a new password')
    t.strictSame(await statuses(staying, nodes), [200, 200], 'the session that changed it stays')
    for (const node of nodes)
      t.match(
        await openRoamingBrowser()
          .on(node)
          .send('POST', '/api/login/', { body: { email: EMAIL, password: PASSWORD } }),
        { status: 401, body: { code: 'invalid_credentials' } },
        'and the old password no longer works',
      )

    t.strictSame(await statuses(staying, nodes, ORGANIZATION), [200, 200])
    await request('PATCH', ORGANIZATION, { enforce_2fa: true }, a)
    t.strictSame(
      await statuses(staying, nodes, ORGANIZATION),
      [403, 403],
      'two-factor authentication is enforced on both nodes',
    )
    await request('PATCH', ORGANIZATION, { enforce_2fa: false }, b)
    t.strictSame(await statuses(staying, nodes, ORGANIZATION), [200, 200])

    const keyWorks = () =>
      Promise.all(nodes.map(async (node) => (await send(node, 'GET', ME, { key: api_key })).status))
    t.strictSame(await keyWorks(), [200, 200])
    const child = command(['users', 'deactivate', EMAIL, '--database', database_url], {})
    t.equal((await ended(child)).code, 0)
    await hasEnded(staying, 'deactivating the account')
    t.strictSame(await keyWorks(), [401, 401], 'and its keys')
  })

for (const engine of nextEngines())
  t.test(`a sign-in starts on one node and is finished on the other (${engine})`, async (t) => {
    const github = await openGitHub(t)
    const { nodes, advance, now } = await openNodes(t, engine, {
      SOCIAL_AUTH_GITHUB_KEY: CLIENT.id,
      SOCIAL_AUTH_GITHUB_SECRET: CLIENT.secret,
      SOCIAL_AUTH_GITHUB_URL: github.url,
      SOCIAL_AUTH_GITHUB_API_URL: github.url,
    })
    const [a, b] = nodes
    const owner = openRoamingBrowser()
    await owner.on(a).signIn(EMAIL, PASSWORD)

    github.users.set('ada', {
      id: 7,
      login: 'ada',
      emails: [{ email: 'ada@example.com', verified: true, primary: true }],
    })
    const invited = await owner
      .on(b)
      .send('POST', `${ORGANIZATION}invites/`, { body: { target_email: 'ada@example.com' } })
    t.equal(invited.status, 201)
    const ada = openRoamingBrowser()
    const begin = await ada.on(a).send('GET', `/login/github/?invite_id=${invited.body.id}`)
    const back = await github.authorize(String(begin.headers.location), 'ada')
    t.match(await ada.on(b).send('GET', back), { status: 302, headers: { location: '/' } }, 'a sign-on')
    t.strictSame(await statuses(ada, nodes), [200, 200])
    t.match(
      await ada.on(a).send('GET', back),
      { status: 302, headers: { location: '/login?error_code=state_mismatch' } },
      'its response is accepted once across all nodes',
    )

    const setup = await owner.on(a).send('POST', `${ME}two_factor_start_setup/`)
    const totp = new TOTP({ secret: Secret.fromBase32(setup.body.secret) })
    const code = (): string => totp.generate({ timestamp: Date.parse(now()) })
    const validate = { body: { token: code() } }
    t.equal((await owner.on(b).send('POST', `${ME}two_factor_validate/`, validate)).status, 200, 'a two-factor setup')
    advance(30_000)
    const token = code()
    const twoSteps = async (first: ServerProcess, second: ServerProcess, browser = openRoamingBrowser()) => {
      const step = await browser.on(first).send('POST', '/api/login/', { body: { email: EMAIL, password: PASSWORD } })
      t.match(step, { status: 401, body: { code: '2fa_required' } })
      t.strictSame(await statuses(browser, nodes), [401, 401], 'an incomplete sign-in grants no access')
      return browser.on(second).send('POST', '/api/login/token/', { body: { token } })
    }
    const browser = openRoamingBrowser()
    t.equal((await twoSteps(a, b, browser)).status, 200, 'the second step')
    t.strictSame(await statuses(browser, nodes), [200, 200])
    t.match(
      await twoSteps(b, a),
      { status: 400, body: { code: '2fa_invalid' } },
      'a code is accepted once across all nodes',
    )
  })

for (const engine of nextEngines())
  t.test(`failed sign-ins are counted across all nodes (${engine})`, async (t) => {
    const { nodes } = await openNodes(t, engine, { RATE_LIMITS: 'true' })
    const attempt = (node: ServerProcess, password: string) =>
      openRoamingBrowser()
        .on(node)
        .send('POST', '/api/login/', { body: { email: EMAIL, password } })
    for (let i = 0; i < 5; i++) for (const node of nodes) t.equal((await attempt(node, 'wrong')).status, 401)
    for (const node of nodes) t.match(await attempt(node, PASSWORD), { status: 429, body: { code: 'throttled' } })
  })
