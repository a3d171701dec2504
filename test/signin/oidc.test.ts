import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import t, { type Test } from 'tap'
import { readConfig } from '../../src/config.ts'
import { type Engine, type Sql, sql } from '../../src/sql/template.ts'
import * as domains from '../../src/store/domains.ts'
import * as users from '../../src/store/users.ts'
import { type ApiResponse, nextEngines, openApp, type TestApp } from '../helpers/app.ts'
import { halfInQuick } from '../helpers/assertions/figures.ts'
import { type Browser, openBrowser } from '../helpers/browser.ts'
import {
  CLIENT,
  type OpenIdProvider,
  openGitHub,
  openOpenIdProvider,
  type Provider,
} from '../helpers/peers/providers.ts'

t.setTimeout(10 * 60_000)
halfInQuick(t)

const PASSWORD = 'correct horse battery staple'
const ME = '/api/users/@me/'
const DOMAIN = 'hedgerow.example'

interface World extends TestApp {
  openid: OpenIdProvider
  github: Provider
  /** Follows the redirect to the provider and back. */
  signOn(browser: Browser, provider: string, subject: string, query?: Record<string, string>): Promise<ApiResponse>
  /** A verified domain of the first organization. */
  domain(settings?: domains.DomainInput): Promise<string>
  count(): Promise<{ users: number; sessions: number; identities: number }>
}

async function openWorld(t: Test, engine: Engine): Promise<World> {
  const openid = await openOpenIdProvider(t)
  const github = await openGitHub(t)
  const app = await openApp(t, engine, {
    environment: {
      SECRET_KEY: 'ab'.repeat(32),
      OIDC_ISSUER: openid.url,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      SOCIAL_AUTH_GOOGLE_OAUTH2_KEY: CLIENT.id,
      SOCIAL_AUTH_GOOGLE_OAUTH2_SECRET: CLIENT.secret,
      SOCIAL_AUTH_GOOGLE_OAUTH2_ISSUER: openid.url,
      SOCIAL_AUTH_GITLAB_KEY: CLIENT.id,
      SOCIAL_AUTH_GITLAB_SECRET: CLIENT.secret,
      SOCIAL_AUTH_GITLAB_API_URL: openid.url,
      SOCIAL_AUTH_GITHUB_KEY: CLIENT.id,
      SOCIAL_AUTH_GITHUB_SECRET: CLIENT.secret,
      SOCIAL_AUTH_GITHUB_URL: github.url,
      SOCIAL_AUTH_GITHUB_API_URL: github.url,
    },
  })
  return {
    ...app,
    openid,
    github,
    signOn: async (browser, provider, subject, query = {}) => {
      const begin = await browser.send('GET', `/login/${provider}/?${new URLSearchParams(query)}`)
      const page = String(begin.headers.location)
      if (begin.status !== 302 || page.startsWith('/')) return begin
      return browser.send('GET', await (provider === 'github' ? github : openid).authorize(page, subject))
    },
    domain: async (settings = {}) => {
      const { body } = await app.call('domains.create', { body: { domain: DOMAIN } })
      await domains.verify(app.deps.db, body.id, app.deps.now())
      const changed = await app.call('domains.update', { params: { id: body.id }, body: settings })
      if (changed.status !== 200) throw new Error(changed.text)
      return body.id
    },
    count: async () => {
      const counted = async (rows: Sql) => Number((await app.deps.db.get<{ n: number }>(rows))?.n)
      return {
        users: await counted(sql`select count(*) as n from users`),
        sessions: await counted(sql`select count(*) as n from sessions`),
        identities: await counted(sql`select count(*) as n from identities`),
      }
    },
  }
}

const person = (email: string, more: Record<string, unknown> = {}) => ({
  email,
  email_verified: true,
  given_name: 'Ada',
  family_name: 'Lovelace',
  ...more,
})

const refused = (error_code: string) => ({ status: 302, headers: { location: `/login?error_code=${error_code}` } })
const arrived = (location = '/') => ({ status: 302, headers: { location } })

function onEach(name: string, scenario: (t: Test, world: World) => Promise<unknown>): void {
  for (const engine of nextEngines())
    t.test(`${name} (${engine})`, async (t) => {
      await scenario(t, await openWorld(t, engine))
    })
}

const membersOf = async ({ call }: World) =>
  new Map((await call('members.list')).body.results.map((member) => [member.user.email, member]))

onEach('an invite, a domain with provisioning, or neither', async (t, world) => {
  const { openid, signOn, call, send, count } = world
  openid.users.set('ada', person('ada@elsewhere.example'))
  const before = await count()
  t.match(await signOn(openBrowser(world), 'oidc', 'ada'), refused('no_new_organizations'))

  const { body: invite } = await call('invites.create', { body: { target_email: 'Ada@elsewhere.example', level: 8 } })
  for (const [invite_id, subject] of [
    ['00000000-0000-7000-8000-000000000000', 'ada'],
    ['not-a-uuid', 'ada'],
    [invite.id, 'eve'],
  ] as const) {
    openid.users.set('eve', person('eve@elsewhere.example'))
    t.match(await signOn(openBrowser(world), 'oidc', subject, { invite_id }), refused('invalid_invite'), invite_id)
  }
  t.strictSame(await count(), before, 'no user was created')

  const browser = openBrowser(world)
  t.match(
    await signOn(browser, 'oidc', 'ada', { invite_id: invite.id, next: '/projects?a=b' }),
    arrived('/projects?a=b'),
  )
  const me = await browser.send('GET', ME)
  t.match(me.body, {
    email: 'ada@elsewhere.example',
    first_name: 'Ada',
    last_name: 'Lovelace',
    is_email_verified: true,
    has_password: false,
    has_social_auth: true,
  })
  t.match((await browser.send('GET', '/api/users/@me/login_sessions/')).body, {
    count: 1,
    results: [{ method: 'oidc', is_current: true, second_factor: false }],
  })
  t.match((await membersOf(world)).get('ada@elsewhere.example'), {
    level: 8,
    has_social_auth: true,
    is_2fa_enabled: false,
  })
  t.match((await membersOf(world)).get('owner@example.com'), { has_social_auth: false })
  t.equal((await call('invites.list')).body.count, 0, 'the invite is used')
  const link = `/api/signup/${invite.id}/?token=${invite.signup_token}` as const
  t.match(await send('GET', link, { key: null }), { status: 400, body: { code: 'already_used' } })

  const id = await world.domain()
  openid.users.set('bob', person(`bob@${DOMAIN}`))
  t.match(await signOn(openBrowser(world), 'oidc', 'bob'), refused('jit_not_enabled'))
  t.equal((await count()).users, before.users + 1)
  await call('domains.update', { params: { id }, body: { jit_provisioning_enabled: true } })
  t.match(await signOn(openBrowser(world), 'oidc', 'bob'), arrived())
  t.match((await membersOf(world)).get(`bob@${DOMAIN}`), { level: 1, has_social_auth: true })

  await call('invites.create', { body: { target_email: `Carol@${DOMAIN}`, level: 8 } })
  openid.users.set('carol', person(`carol@${DOMAIN}`))
  t.match(await signOn(openBrowser(world), 'google-oauth2', 'carol'), arrived())
  t.match((await membersOf(world)).get(`carol@${DOMAIN}`), { level: 8 }, 'a pending invite sets the level')
  t.equal((await call('invites.list')).body.count, 0)

  openid.users.set('dan', person(`dan@${DOMAIN}`))
  const dan = openBrowser(world)
  t.match(await signOn(dan, 'gitlab', 'dan'), arrived())
  t.match((await dan.send('GET', '/api/users/@me/login_sessions/')).body.results, [{ method: 'gitlab' }])
})

onEach('rejects an invite whose inviter may no longer invite at its level', async (t, world) => {
  const { openid, signOn, call } = world
  const admin = await world.member('admin@example.com', 8)
  const { body: invite } = await call('invites.create', {
    key: admin.key,
    body: { target_email: 'ada@a.example', level: 8 },
  })
  await world.deps.db.run(sql`update members set level = 1 where user_id = ${admin.id}`)
  openid.users.set('ada', person('ada@a.example'))
  t.match(await signOn(openBrowser(world), 'oidc', 'ada', { invite_id: invite.id }), refused('invalid_invite'))
})

onEach('an existing user accepts an invite by single sign-on', async (t, world) => {
  const { openid, signOn, call } = world
  const rival = await world.stranger('rival@example.com')
  openid.users.set('rival', person('rival@example.com'))
  const { body: invite } = await call('invites.create', { body: { target_email: 'rival@example.com', level: 8 } })
  const browser = openBrowser(world)
  t.match(await signOn(browser, 'oidc', 'rival', { invite_id: invite.id }), arrived())
  t.match((await membersOf(world)).get('rival@example.com'), { level: 8 })
  t.equal((await browser.send('GET', ME)).body.organization?.id, rival.organization_id, '@current does not move')
})

onEach('an identity is known by its subject, not by its address', async (t, world) => {
  const { openid, signOn, count } = world
  await world.domain({ jit_provisioning_enabled: true })
  openid.users.set('ada', person(`ada@${DOMAIN}`))
  t.match(await signOn(openBrowser(world), 'oidc', 'ada'), arrived())
  const before = await count()

  openid.users.set('ada', person('renamed@elsewhere.example', { email_verified: false }))
  const browser = openBrowser(world)
  t.match(await signOn(browser, 'oidc', 'ada'), arrived())
  t.match((await browser.send('GET', ME)).body, { email: `ada@${DOMAIN}` }, 'the same account')
  t.strictSame(await count(), { ...before, sessions: before.sessions + 1 })

  openid.users.set('thief', person(`ada@${DOMAIN}`, { email_verified: false }))
  t.match(await signOn(openBrowser(world), 'oidc', 'thief'), refused('email_not_verified'))
  openid.users.set('nobody', { given_name: 'N' })
  t.match(await signOn(openBrowser(world), 'oidc', 'nobody'), refused('email_not_verified'))
  for (const email of ['no address', `a\0@${DOMAIN}`, `a b@${DOMAIN}`, `${'x'.repeat(300)}@${DOMAIN}`]) {
    openid.users.set('odd', person(email))
    t.match(await signOn(openBrowser(world), 'oidc', 'odd'), refused('sso_failed'), JSON.stringify(email).slice(0, 30))
  }
  openid.users.set('names', person(`names@${DOMAIN}`, { given_name: ` \0${'n'.repeat(500)}`, family_name: 7 }))
  const named = openBrowser(world)
  t.match(await signOn(named, 'oidc', 'names'), arrived())
  t.match((await named.send('GET', ME)).body, { first_name: 'n'.repeat(150), last_name: '' })
})

onEach('a known identity with an unverified address of a domain does not join its organization', async (t, world) => {
  const { openid, signOn } = world
  await world.stranger('mallory@example.com')
  openid.users.set('mallory', person('mallory@example.com'))
  t.match(await signOn(openBrowser(world), 'oidc', 'mallory'), arrived())
  await world.domain({ jit_provisioning_enabled: true })
  openid.users.set('mallory', person(`mallory@${DOMAIN}`, { email_verified: false }))
  t.match(await signOn(openBrowser(world), 'oidc', 'mallory'), arrived())
  t.notOk((await membersOf(world)).has('mallory@example.com'))
})

onEach('a known identity joins nothing with the verified address of someone else', async (t, world) => {
  const { openid, signOn, call } = world
  await world.stranger('mallory@example.com')
  openid.users.set('mallory', person('mallory@example.com'))
  t.match(await signOn(openBrowser(world), 'oidc', 'mallory'), arrived())
  await world.domain({ jit_provisioning_enabled: true })
  openid.users.set('mallory', person(`ada@${DOMAIN}`))
  t.match(await signOn(openBrowser(world), 'oidc', 'mallory'), arrived(), 'signs in to the own account')
  const { body: invite } = await call('invites.create', { body: { target_email: `ada@${DOMAIN}`, level: 8 } })
  t.match(await signOn(openBrowser(world), 'oidc', 'mallory'), arrived())
  const query = { invite_id: invite.id }
  t.match(await signOn(openBrowser(world), 'oidc', 'mallory', query), refused('invalid_invite'))
  t.strictSame([...(await membersOf(world)).keys()], ['owner@example.com'])
  t.equal((await call('invites.list')).body.count, 1, 'the invite is unused')

  openid.users.set('ada', person(`Ada@${DOMAIN}`))
  t.match(await signOn(openBrowser(world), 'oidc', 'ada'), arrived())
  t.match((await membersOf(world)).get(`Ada@${DOMAIN}`), { level: 8 }, 'the invite is for its address')
})

onEach('an account with a password is linked after its password and second factor', async (t, world) => {
  const { openid, signOn, setPassword, deps } = world
  const { key, email } = await world.member('ada@example.com', 1)
  await setPassword(PASSWORD, key)
  openid.users.set('ada', person(email))
  const { key: otherKey } = await world.member('other@example.com', 1)
  await setPassword(PASSWORD, otherKey)

  const browser = openBrowser(world)
  const response = await signOn(browser, 'oidc', 'ada')
  t.match(response, refused('password_required'))
  t.match(
    [response.headers['set-cookie']].flat().find((line) => String(line).startsWith('workspace_link=')),
    /^workspace_link=[\w-]{43,}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
  )
  t.notOk(browser.cookies.has('workspace_session'))
  const link = browser.cookies.get('workspace_link') ?? ''

  const other = openBrowser(world)
  other.cookies.set('workspace_link', link)
  await other.signIn('other@example.com', PASSWORD)
  t.notOk(other.cookies.has('workspace_link'))
  t.match((await other.send('GET', ME)).body, { has_social_auth: false }, 'not linked to another account')
  const wrong = { body: { email, password: 'wrong' } }
  t.equal((await browser.send('POST', '/api/login/', wrong)).status, 401)
  t.match(await signOn(openBrowser(world), 'oidc', 'ada'), refused('password_required'), 'still not linked')

  await browser.signIn(email, PASSWORD)
  t.notOk(browser.cookies.has('workspace_link'), 'the cookie is cleared')
  t.match((await browser.send('GET', ME)).body, { has_social_auth: true })
  const next = openBrowser(world)
  t.match(await signOn(next, 'oidc', 'ada'), arrived())
  t.match((await next.send('GET', ME)).body, { email })

  // With a second factor.
  const setup = await other.send('POST', '/api/users/@me/two_factor_start_setup/')
  const code = new TOTP({ secret: Secret.fromBase32(setup.body.secret) }).generate({ timestamp: deps.milliseconds() })
  const enabled = await other.send('POST', '/api/users/@me/two_factor_validate/', { body: { token: code } })
  openid.users.set('other', person('other@example.com'))
  const linking = openBrowser(world)
  t.match(await signOn(linking, 'oidc', 'other'), refused('password_required'))
  const body = { email: 'other@example.com', password: PASSWORD }
  t.match(await linking.send('POST', '/api/login/', { body }), { status: 401, body: { code: '2fa_required' } })
  t.match(
    await signOn(openBrowser(world), 'oidc', 'other'),
    refused('password_required'),
    'the password alone is not enough',
  )
  const second = { body: { token: enabled.body.backup_codes[0] } }
  t.equal((await linking.send('POST', '/api/login/token/', second)).status, 200)
  t.notOk(linking.cookies.has('workspace_link'))
  t.match(await signOn(openBrowser(world), 'oidc', 'other'), arrived())
  t.match((await membersOf(world)).get('other@example.com'), { is_2fa_enabled: true, has_social_auth: true })
})

onEach('an identity that waits too long is not linked', async (t, world) => {
  if (world.engine === 'postgres') return // Its clock is that of the database.
  const { openid, signOn, setPassword } = world
  const { key, email } = await world.member('ada@example.com', 1)
  await setPassword(PASSWORD, key)
  openid.users.set('ada', person(email))
  const browser = openBrowser(world)
  await signOn(browser, 'oidc', 'ada')
  world.advance(11 * 60_000)
  await browser.signIn(email, PASSWORD)
  t.match((await browser.send('GET', ME)).body, { has_social_auth: false })
})

onEach('an unverified account is superseded', async (t, world) => {
  const { openid, signOn, deps } = world
  await world.domain({ jit_provisioning_enabled: true })
  const email = `ada@${DOMAIN}`
  const squatter = await world.member(email, 8)
  await world.setPassword(PASSWORD, squatter.key)
  const theirs = openBrowser(world)
  await theirs.signIn(email, PASSWORD)
  await deps.db.run(sql`update users set is_email_verified = ${false} where id = ${squatter.id}`)
  openid.users.set('ada', person(email))
  const browser = openBrowser(world)
  t.match(await signOn(browser, 'oidc', 'ada'), arrived())
  const me = await browser.send('GET', ME)
  t.match(me.body, { email, has_password: false, is_email_verified: true })
  t.not(me.body.uuid, squatter.uuid)
  t.match((await membersOf(world)).get(email), { level: 1 }, 'the new account inherits nothing')
  t.equal((await world.send('GET', ME, { key: squatter.key })).status, 401)
  t.equal((await theirs.send('GET', ME)).status, 401)
  t.match(await deps.db.get(sql`select password_hash, is_active from users where id = ${squatter.id}`), {
    password_hash: null,
  })
})

onEach('a domain that enforces another provider', async (t, world) => {
  const { openid, github, signOn, count } = world
  const id = await world.domain({ jit_provisioning_enabled: true })
  openid.users.set('ada', person(`ada@${DOMAIN}`))
  t.match(await signOn(openBrowser(world), 'oidc', 'ada'), arrived())
  await world.call('domains.update', { params: { id }, body: { sso_enforcement: 'github' } })
  const before = await count()
  t.match(await signOn(openBrowser(world), 'oidc', 'ada'), refused('sso_enforced'))
  openid.users.set('ada', person('ada@elsewhere.example'))
  t.match(await signOn(openBrowser(world), 'oidc', 'ada'), refused('sso_enforced'), 'by the address of the account')
  openid.users.set('bob', person(`bob@${DOMAIN}`))
  t.match(await signOn(openBrowser(world), 'google-oauth2', 'bob'), refused('sso_enforced'))
  t.strictSame(await count(), before)

  const { key } = await world.member(`carol@${DOMAIN}`, 1)
  await world.deps.db.run(sql`update users set password_hash = 'unusable' where email = ${`carol@${DOMAIN}`}`)
  github.users.set('carol', {
    id: 7,
    name: 'Carol C. Case',
    emails: [{ email: `carol@${DOMAIN}`, primary: true, verified: true }],
  })
  t.match(
    await signOn(openBrowser(world), 'github', 'carol'),
    arrived(),
    'the enforced provider links without a password',
  )
  t.match((await world.send('GET', ME, { key })).body, { has_social_auth: true })
})

onEach('failures are recorded where the user or the organization is known', async (t, world) => {
  const { openid, signOn, call } = world
  const log = async (length: number) => {
    for (;;) {
      const { results } = (await call('activity_log.list', { query: { area: 'sessions' } })).body
      const failed = results.filter(({ activity }) => activity === 'sign_in_failed')
      if (failed.length >= length) return failed
    }
  }
  const id = await world.domain()
  openid.users.set('ada', person(`ada@${DOMAIN}`))
  openid.users.set('eve', person(`eve@${DOMAIN}`, { email_verified: false }))
  openid.users.set('owner', person('owner@example.com', { email_verified: false }))
  t.match(await signOn(openBrowser(world), 'oidc', 'eve'), refused('email_not_verified'), 'anyone may claim an address')
  t.match(await signOn(openBrowser(world), 'oidc', 'ada'), refused('jit_not_enabled'))
  t.match(await log(1), [
    {
      actor: 'system',
      user: null,
      item_id: null,
      item_name: `ada@${DOMAIN}`,
      changes: [
        { field: 'method', after: 'oidc' },
        { field: 'error_code', after: 'jit_not_enabled' },
        { field: 'address', after: '127.0.0.1' },
      ],
    },
  ])
  t.match(await signOn(openBrowser(world), 'oidc', 'owner'), refused('email_not_verified'))
  t.match((await log(2))[0], {
    actor: 'user',
    user: { email: 'owner@example.com' },
    address: '127.0.0.1',
    changes: [{ after: 'oidc' }, { after: 'email_not_verified' }],
  })

  await call('domains.update', { params: { id }, body: { jit_provisioning_enabled: true } })
  t.match(await signOn(openBrowser(world), 'oidc', 'ada'), arrived())
  await call('domains.update', { params: { id }, body: { sso_enforcement: 'github' } })
  openid.users.set('ada', person('ada@elsewhere.example'))
  t.match(await signOn(openBrowser(world), 'oidc', 'ada'), refused('sso_enforced'))
  t.match((await log(3))[0], { user: { email: `ada@${DOMAIN}` }, changes: [{}, { after: 'sso_enforced' }] })

  await world.setPassword(PASSWORD)
  openid.users.set('owner', person('owner@example.com'))
  t.match(await signOn(openBrowser(world), 'oidc', 'owner'), refused('password_required'))
  t.match(await signOn(openBrowser(world), 'oidc', ''), refused('sso_failed'))
  t.equal(
    (await log(3)).length,
    3,
    'a password prompt is not a failure, and a denial at the provider belongs to no user',
  )
})

onEach('GitHub', async (t, world) => {
  const { github, signOn } = world
  await world.domain({ jit_provisioning_enabled: true })
  const emails = [
    { email: `first@${DOMAIN}`, primary: false, verified: true },
    { email: `ada@${DOMAIN}`, primary: true, verified: true },
  ]
  github.users.set('ada', { id: 1, login: 'ada', name: 'Ada King Lovelace', emails })
  const browser = openBrowser(world)
  t.match(await signOn(browser, 'github', 'ada'), arrived())
  t.match((await browser.send('GET', ME)).body, {
    email: `ada@${DOMAIN}`,
    first_name: 'Ada',
    last_name: 'King Lovelace',
  })
  t.match((await browser.send('GET', '/api/users/@me/login_sessions/')).body.results, [{ method: 'github' }])

  for (const [name, user, error_code] of [
    ['unverified', { id: 2, emails: [{ email: `b@${DOMAIN}`, primary: true, verified: false }] }, 'email_not_verified'],
    ['without a primary address', { id: 3, emails: [{ email: `b@${DOMAIN}`, verified: true }] }, 'email_not_verified'],
    ['without addresses', { id: 3, emails: [] }, 'email_not_verified'],
    ['addresses that are not a list', { id: 3, emails: { message: 'Not Found' } }, 'email_not_verified'],
    ['without an id', { emails }, 'sso_failed'],
  ] as const) {
    github.users.set('bob', { name: null, ...user })
    t.match(await signOn(openBrowser(world), 'github', 'bob'), refused(error_code), name)
  }
  t.match(await signOn(openBrowser(world), 'github', 'unknown'), refused('sso_failed'), 'the API rejects the token')
})

onEach('rejects responses that this browser did not request', async (t, world) => {
  const { openid, count } = world
  await world.domain({ jit_provisioning_enabled: true })
  openid.users.set('ada', person(`ada@${DOMAIN}`))
  const before = await count()
  const begin = async (browser: Browser, provider = 'oidc') =>
    String((await browser.send('GET', `/login/${provider}/`)).headers.location)

  const browser = openBrowser(world)
  const page = await begin(browser)
  const { searchParams } = new URL(page)
  for (const name of ['state', 'nonce', 'code_challenge']) t.match(searchParams.get(name), /^[\w-]{43,}$/, name)
  t.equal(searchParams.get('code_challenge_method'), 'S256')
  const state = searchParams.get('state') ?? ''
  const path = await openid.authorize(page, 'ada')
  const code = new URL(path, 'http://x').searchParams.get('code') ?? ''

  for (const [name, target] of [
    ['no parameters', '/complete/oidc/'],
    ['no state', `/complete/oidc/?code=${code}`],
    ['another state', path.replace(state, `x${state}`)],
  ] as const)
    t.match(await browser.send('GET', target), refused('state_mismatch'), name)
  const stranger = openBrowser(world)
  await begin(stranger)
  t.match(await stranger.send('GET', path), refused('state_mismatch'), 'the state of another browser')
  t.match(await browser.send('GET', path), refused('state_mismatch'), 'and it is used up')

  const third = openBrowser(world)
  const used = await openid.authorize(await begin(third), 'ada')
  t.match(
    await third.send('GET', used.replace('/oidc/', '/google-oauth2/')),
    refused('state_mismatch'),
    'another provider',
  )

  const denied = openBrowser(world)
  const response = await denied.send('GET', await openid.authorize(await begin(denied), ''))
  t.match(response, refused('sso_failed'), 'the provider denies access')
  t.notOk(response.text.includes('secret'))

  const wrongCode = openBrowser(world)
  const wrongState = new URL(await begin(wrongCode)).searchParams.get('state')
  for (const query of [`code=wrong&state=${wrongState}`, `state=${wrongState}`])
    t.match(await wrongCode.send('GET', `/complete/oidc/?${query}`), {
      status: 302,
      headers: { location: /^\/login\?/ },
    })

  t.strictSame(await count(), before, 'no user and no session')

  const good = openBrowser(world)
  const target = await openid.authorize(await begin(good), 'ada')
  t.match(await good.send('GET', target), arrived())
  t.match(await good.send('GET', target), refused('state_mismatch'), 'the state is used')
  const again = openBrowser(world)
  const fresh = new URL(await begin(again)).searchParams.get('state')
  const goodCode = new URL(target, 'http://x').searchParams.get('code')
  const iss = encodeURIComponent(openid.url)
  t.match(
    await again.send('GET', `/complete/oidc/?code=${goodCode}&state=${fresh}&iss=${iss}`),
    refused('sso_failed'),
    'the code is used',
  )
  t.equal((await count()).sessions, before.sessions + 1)

  for (const [provider, error_code] of [
    ['okta', 'invalid_sso_provider'],
    ['__proto__', 'invalid_sso_provider'],
    ['saml', 'improperly_configured_sso'],
  ] as const) {
    t.match(await good.send('GET', `/login/${provider}/`), refused(error_code), provider)
    if (provider !== 'saml') t.match(await good.send('GET', `/complete/${provider}/?state=x`), refused(error_code))
  }
  for (const path of ['/login/saml/?email=a%00@b', '/complete/oidc/?state=%00', '/complete/oidc/?state=a&state=b'])
    t.equal((await good.send('GET', path)).status, 400, path)
})

type Claims = Record<string, any>

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const signed = (header: object, claims: Claims, signature: (text: string) => Buffer): string => {
  const text = `${encode(header)}.${encode(claims)}`
  return `${text}.${signature(text).toString('base64url')}`
}
const rsa = (claims: Claims, key: KeyObject, kid = 'test'): string =>
  signed({ alg: 'RS256', kid }, claims, (text) => sign('RSA-SHA256', Buffer.from(text), key))
const hmac = (claims: Claims, secret: string | Buffer): string =>
  signed({ alg: 'HS256', kid: 'test' }, claims, (text) => createHmac('sha256', secret).update(text).digest())

const seconds = (): number => Math.floor(Date.now() / 1_000)
const PUBLIC_PEM = { type: 'spki', format: 'pem' } as const

const FORGED: [name: string, forge: (claims: Claims, key: KeyObject, token: string) => string][] = [
  ['another key with the id of the real one', (claims) => rsa(claims, OTHER_KEY)],
  ['an unknown key', (claims) => rsa(claims, OTHER_KEY, 'unknown')],
  ['changed claims', (claims, _, token) => token.replace(/\.[^.]+\./, `.${encode({ ...claims, sub: 'eve' })}.`)],
  ['no signature', (_, __, token) => token.replace(/[^.]+$/, '')],
  ['alg none', (claims) => `${encode({ alg: 'none' })}.${encode(claims)}.`],
  [
    'alg None, with the signature',
    (claims, _, token) => token.replace(/^.*\./, `${encode({ alg: 'None' })}.${encode(claims)}.`),
  ],
  ['HS256 with the client secret', (claims) => hmac(claims, CLIENT.secret)],
  ['HS256 with the public key', (claims, key) => hmac(claims, createPublicKey(key).export(PUBLIC_PEM))],
  ['expired', (claims, key) => rsa({ ...claims, iat: seconds() - 900, exp: seconds() - 600 }, key)],
  ['without an end', ({ exp: _, ...claims }, key) => rsa(claims, key)],
  ['for another client', (claims, key) => rsa({ ...claims, aud: 'other' }, key)],
  ['of another issuer', (claims, key) => rsa({ ...claims, iss: 'https://other.example' }, key)],
  ['with another nonce', (claims, key) => rsa({ ...claims, nonce: 'other' }, key)],
  ['without a nonce', ({ nonce: _, ...claims }, key) => rsa(claims, key)],
  ['two parts', (_, __, token) => token.replace(/\.[^.]+$/, '')],
]
const { privateKey: OTHER_KEY } = generateKeyPairSync('rsa', { modulusLength: 2048 })

onEach('the signature and the claims of an id token are verified', async (t, world) => {
  const { openid, signOn, count } = world
  await world.domain({ jit_provisioning_enabled: true })
  openid.users.set('ada', person(`ada@${DOMAIN}`))
  // The most permissive metadata: a provider may offer every algorithm.
  openid.tamper.set('/.well-known/openid-configuration', (metadata) => ({
    ...metadata,
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none', 'None'],
  }))
  const before = await count()
  const forge = (change: (typeof FORGED)[number][1]) =>
    openid.tamper.set('/token', (tokens) => {
      const [, payload = ''] = String(tokens.id_token).split('.')
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
      return { ...tokens, id_token: change(claims, openid.key, tokens.id_token) }
    })
  for (const [name, change] of FORGED) {
    forge(change)
    t.match(await signOn(openBrowser(world), 'oidc', 'ada'), refused('sso_failed'), name)
  }
  openid.tamper.set('/token', ({ id_token: _, ...tokens }) => tokens)
  t.match(await signOn(openBrowser(world), 'oidc', 'ada'), refused('sso_failed'), 'no id token')
  t.strictSame(await count(), before, 'no user, no session, no identity')

  forge((claims, key) => rsa(claims, key))
  t.match(await signOn(openBrowser(world), 'oidc', 'ada'), arrived(), 'signed by the key of the provider')
  openid.tamper.delete('/token')
  for (const provider of ['oidc', 'google-oauth2', 'gitlab'])
    t.match(await signOn(openBrowser(world), provider, 'ada'), arrived(), provider)
})

onEach('the path to return to stays on this server', async (t, world) => {
  const { openid, signOn } = world
  await world.domain({ jit_provisioning_enabled: true })
  openid.users.set('ada', person(`ada@${DOMAIN}`))
  for (const [next, location] of [
    ['/projects/1?x=y#z', '/projects/1?x=y#z'],
    ['//evil', '/'],
    ['/\\evil', '/'],
    ['\\\\evil', '/'],
    ['https://evil', '/'],
    ['javascript:alert(1)', '/'],
    ['/\t/evil', '/'],
    ['/a\r\nset-cookie: a=b', '/'],
    ['evil', '/'],
    ['', '/'],
  ] as const)
    t.match(await signOn(openBrowser(world), 'oidc', 'ada', { next }), arrived(location), JSON.stringify(next))
})

onEach('a removed member can rejoin only with an invite', async (t, world) => {
  const { openid, signOn, call, deps } = world
  await world.domain({ jit_provisioning_enabled: true })
  const email = `ada@${DOMAIN}`
  openid.users.set('ada', person(email))
  const browser = openBrowser(world)
  await signOn(browser, 'oidc', 'ada')
  const uuid = (await browser.send('GET', ME)).body.uuid
  const removal = { params: { user__uuid: uuid } }
  t.equal((await browser.send('DELETE', `/api/organizations/${world.first.organization_id}/members/@me/`)).status, 204)
  await signOn(browser, 'oidc', 'ada')
  t.ok((await membersOf(world)).has(email), 'a member who left rejoins')

  t.equal((await call('members.remove', removal)).status, 204)
  t.match(await signOn(browser, 'oidc', 'ada'), arrived())
  t.notOk((await membersOf(world)).has(email), 'a removed member does not')

  await call('invites.create', { body: { target_email: email, level: 8 } })
  await signOn(browser, 'oidc', 'ada')
  t.match((await membersOf(world)).get(email), { level: 8 })
  await browser.send('DELETE', `/api/organizations/${world.first.organization_id}/members/@me/`)
  await signOn(browser, 'oidc', 'ada')
  t.match((await membersOf(world)).get(email), { level: 1 }, 'the invite cleared the removal')

  t.equal((await call('members.remove', removal)).status, 204)
  const { body: invite } = await call('invites.create', { body: { target_email: email } })
  const key = await world.key({ user_id: (await users.getByEmail(deps.db, email))?.id ?? 0 })
  const accepted = { token: invite.signup_token, first_name: 'Ada' }
  t.equal((await world.send('POST', `/api/signup/${invite.id}/`, { key, body: accepted })).status, 201)
  await browser.send('DELETE', `/api/organizations/${world.first.organization_id}/members/@me/`)
  await signOn(browser, 'oidc', 'ada')
  t.ok((await membersOf(world)).has(email), 'accepting an invite with a key clears it too')

  const squatter = await world.member(`bob@${DOMAIN}`, 1)
  await deps.db.run(sql`update users set is_email_verified = ${false} where id = ${squatter.id}`)
  await call('members.remove', { params: { user__uuid: squatter.uuid } })
  openid.users.set('bob', person(`bob@${DOMAIN}`))
  t.match(
    await signOn(openBrowser(world), 'oidc', 'bob'),
    refused('jit_not_enabled'),
    'not by superseding the account either',
  )
})

onEach('a sign-on ends the session that the browser had', async (t, world) => {
  const { openid, signOn } = world
  await world.domain({ jit_provisioning_enabled: true })
  openid.users.set('ada', person(`ada@${DOMAIN}`))
  const browser = openBrowser(world)
  await signOn(browser, 'oidc', 'ada')
  const old = openBrowser(world)
  for (const [name, value] of browser.cookies) old.cookies.set(name, value)
  await signOn(browser, 'oidc', 'ada')
  t.equal((await browser.send('GET', ME)).status, 200)
  t.equal((await old.send('GET', ME)).status, 401)
})

onEach('two concurrent first sign-ons create one user', async (t, world) => {
  const { openid, count } = world
  await world.domain({ jit_provisioning_enabled: true })
  openid.users.set('ada', person(`ada@${DOMAIN}`))
  const before = await count()
  const pairs = []
  for (const browser of [openBrowser(world), openBrowser(world)])
    pairs.push({
      browser,
      path: await openid.authorize(String((await browser.send('GET', '/login/oidc/')).headers.location), 'ada'),
    })
  const responses = await Promise.all(pairs.map(({ browser, path }) => browser.send('GET', path)))
  t.ok(responses.every(({ status }) => status === 302))
  t.ok(responses.some(({ headers }) => headers.location === '/'))
  t.match(await count(), { users: before.users + 1, identities: 1 })
})

t.test('addresses of providers need https, except on loopback', async (t) => {
  const settings = [
    'OIDC_ISSUER',
    'SOCIAL_AUTH_GOOGLE_OAUTH2_ISSUER',
    'SOCIAL_AUTH_GITLAB_API_URL',
    'SOCIAL_AUTH_GITHUB_URL',
    'SOCIAL_AUTH_GITHUB_API_URL',
  ]
  for (const name of settings) {
    for (const value of ['http://idp.example', 'http://127.idp.example', 'http://10.0.0.1', 'http://localhost.example'])
      t.throws(() => readConfig({ [name]: value }), { message: `${name} must use https, except on loopback` }, value)
    for (const value of [
      'https://idp.example',
      'http://127.0.0.1:9',
      'http://127.9.9.9',
      'http://localhost',
      'http://[::1]:9',
    ])
      t.match(readConfig({ [name]: value }), { [name]: value })
  }
  t.throws(() => readConfig({ OIDC_ISSUER: 'https://[' }), { message: 'OIDC_ISSUER is not valid' })
})

for (const engine of nextEngines())
  t.test(`endpoints of a provider on loopback need https elsewhere (${engine})`, async (t) => {
    const openid = await openOpenIdProvider(t)
    const app = await openApp(t, engine, {
      environment: {
        OIDC_ISSUER: openid.url,
        OIDC_CLIENT_ID: CLIENT.id,
        OIDC_CLIENT_SECRET: CLIENT.secret,
      },
    })
    const { send } = openBrowser(app)
    for (const name of ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri']) {
      openid.tamper.set('/.well-known/openid-configuration', (metadata) => ({
        ...metadata,
        [name]: 'http://idp.example/',
      }))
      t.match(await send('GET', '/login/oidc/'), refused('improperly_configured_sso'), name)
    }
    openid.tamper.clear()
    t.match(await send('GET', '/login/oidc/'), { status: 302, headers: { location: new RegExp(`^${openid.url}`) } })
  })

for (const engine of nextEngines())
  t.test(`reports providers that do not respond or are not configured (${engine})`, async (t) => {
    const app = await openApp(t, engine, {
      environment: {
        OIDC_ISSUER: 'http://127.0.0.1:9',
        OIDC_CLIENT_ID: CLIENT.id,
        OIDC_CLIENT_SECRET: CLIENT.secret,
      },
    })
    const { send } = openBrowser(app)
    for (const provider of ['oidc', 'google-oauth2', 'github', 'gitlab'])
      t.match(await send('GET', `/login/${provider}/`), refused('improperly_configured_sso'), provider)
  })
