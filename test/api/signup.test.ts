import t from 'tap'
import { openInvite } from '../../src/organizations/signup.ts'
import { sql } from '../../src/sql/template.ts'
import { nextEngines, onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { itemAt, rowOf } from '../helpers/assertions/items.ts'

const HOUR = 3_600_000

async function invite(app: TestApp, target_email: string, more: object = {}): Promise<{ id: string; token: string }> {
  const { body } = await app.call('invites.create', {
    params: { organization_id: '@current' },
    body: { target_email, ...more },
  })
  return { id: body.id, token: String(body.signup_token) }
}

onBothEngines(t, 'creates an account for a new address', async (t, app) => {
  const { call, first } = app
  const { id, token } = await invite(app, 'Grace@example.com', { first_name: 'Grace', level: 8 })
  t.match(await call('signup.retrieve', { params: { invite_id: id }, query: { token }, key: null }), {
    status: 200,
    body: { id, target_email: 'Grace@example.com', first_name: 'Grace', organization_name: 'My organization' },
  })
  const joined = await call('signup.accept', { params: { invite_id: id }, key: null, body: { token } })
  t.match(joined, {
    status: 201,
    body: {
      organization_id: first.organization_id,
      user: { email: 'Grace@example.com', first_name: 'Grace', is_email_verified: false },
    },
  })
  const key = joined.body.api_key
  t.match((await call('users.me', { key })).body, {
    organization: { id: first.organization_id, membership_level: 8 },
    team: { id: first.project_id },
  })
  t.match((await call('api_keys.current', { key })).body, {
    scopes: ['*'],
    scoped_organizations: [],
    scoped_teams: [],
  })
  t.equal((await call('organizations.retrieve', { params: { id: first.organization_id } })).body.member_count, '2')
  t.equal((await call('invites.list', { params: { organization_id: '@current' } })).body.count, 0)
  t.match(await call('signup.accept', { params: { invite_id: id }, key: null, body: { token } }), {
    status: 400,
    body: { code: 'already_used' },
  })
  t.match(await call('signup.retrieve', { params: { invite_id: id }, query: { token }, key: null }), {
    status: 400,
    body: { code: 'already_used' },
  })
})

onBothEngines(t, 'a user with an account joins with their own key', async (t, app) => {
  const { call, stranger, first } = app
  const ada = await stranger('ada@example.com')
  const other = await stranger('other@example.com')
  const { id, token } = await invite(app, 'ADA@example.com')
  t.match(await call('signup.retrieve', { params: { invite_id: id }, query: { token }, key: null }), {
    status: 400,
    body: { type: 'validation_error', code: 'account_exists', attr: null },
  })
  t.match(await call('signup.accept', { params: { invite_id: id }, key: null, body: { token } }), {
    status: 400,
    body: { code: 'account_exists' },
  })
  t.match(await call('signup.accept', { params: { invite_id: id }, key: other.key, body: { token } }), {
    status: 400,
    body: { code: 'invalid_recipient' },
  })
  t.match(await call('signup.retrieve', { params: { invite_id: id }, query: { token }, key: other.key }), {
    status: 400,
    body: { code: 'invalid_recipient' },
  })
  t.match(await call('signup.accept', { params: { invite_id: id }, key: 'phx_wrong', body: { token } }), {
    status: 401,
    body: { code: 'authentication_failed' },
  })
  t.equal((await call('signup.retrieve', { params: { invite_id: id }, query: { token }, key: ada.key })).status, 200)
  t.match(
    await call('signup.accept', { params: { invite_id: id }, key: ada.key, body: { token, first_name: 'Changed' } }),
    {
      status: 201,
      body: { api_key: null, user: { id: ada.id, first_name: 'P' } },
    },
  )
  t.equal((await call('organizations.list', { key: ada.key })).body.count, 2)
  t.equal(
    (await call('organizations.retrieve', { params: { id: '@current' }, key: ada.key })).body.id,
    ada.organization_id,
    '@current does not change',
  )
  t.equal((await call('projects.retrieve', { params: { id: '@current' }, key: ada.key })).body.id, ada.project_id)
  t.equal((await call('organizations.retrieve', { params: { id: first.organization_id }, key: ada.key })).status, 200)
})

onBothEngines(t, 'joining with an account requires an unrestricted key', async (t, app) => {
  const { call, stranger } = app
  const ada = await stranger('ada@example.com')
  const { id, token } = await invite(app, 'ada@example.com')
  const organizations = [ada.organization_id]
  const projects = [ada.project_id]
  const limited = [
    { scopes: ['query:read'] },
    { scopes: ['organization:write', 'organization_member:write'] },
    { scopes: ['*'], restrictions: { organizations, projects: null } },
    { scopes: ['*'], restrictions: { organizations: null, projects } },
  ]
  for (const limits of limited)
    t.match(
      await call('signup.accept', {
        params: { invite_id: id },
        key: await app.key({ user_id: ada.id, ...limits }),
        body: { token },
      }),
      { status: 403, body: { type: 'authentication_error', code: 'permission_denied', detail: /scope '\*'/ } },
      JSON.stringify(limits),
    )
  t.equal((await call('organizations.list', { key: ada.key })).body.count, 1)
  t.equal(
    (
      await call('signup.accept', {
        params: { invite_id: id },
        key: await app.key({ user_id: ada.id }),
        body: { token },
      })
    ).status,
    201,
  )
})

onBothEngines(t, 'an invite cannot be opened without its token', async (t, app) => {
  const { call, stranger, member } = app
  const plain = await member('plain@example.com', 1)
  await invite(app, 'victim@example.com', { level: 15 })
  const ada = await stranger('ada@example.com')
  await invite(app, 'ada@example.com', { level: 15 })
  const listed = (await call('invites.list', { params: { organization_id: '@current' }, key: plain.key })).body.results
  for (const { id } of listed)
    for (const key of [null, plain.key, ada.key])
      for (const token of ['', 'x', id, 'null', '0'.repeat(43)]) {
        const read = await call('signup.retrieve', { params: { invite_id: id }, query: { token }, key })
        const taken = await call('signup.accept', { params: { invite_id: id }, key, body: { token } })
        t.strictSame([read.status, taken.status], [400, 400], 'a guessed token is rejected')
        t.not(read.error?.code, 'account_exists', 'the response does not reveal that the address has an account')
      }
  t.match(await call('signup.retrieve', { params: { invite_id: listed[0]?.id }, key: null }), {
    status: 400,
    body: { code: 'required', attr: 'token' },
  })
  t.match(await call('signup.accept', { params: { invite_id: listed[0]?.id }, key: null, body: {} }), {
    status: 400,
    body: { code: 'required', attr: 'token' },
  })
  t.equal((await call('organizations.retrieve', { params: { id: '@current' } })).body.member_count, '2')
  const unknown = (
    await call('signup.retrieve', {
      params: { invite_id: '99999999-9999-7999-8999-999999999999' },
      query: { token: 'x' },
      key: null,
    })
  ).text
  for (const id of ['abc', '1234', '%00', itemAt(listed, 0).id])
    t.equal(
      (await call('signup.retrieve', { params: { invite_id: id }, query: { token: 'x' }, key: null })).text,
      unknown,
    )
})

onBothEngines(t, 'an invite expires after three days', async (t, app) => {
  const { call, advance, deps } = app
  const { id, token } = await invite(app, 'late@example.com')
  const created = Date.parse(
    (await rowOf<{ created_at: string }>(deps.db, sql`select created_at from invites where id = ${id}`)).created_at,
  )
  const at = (moment: number) =>
    openInvite({ db: deps.db, now: () => new Date(moment).toISOString() }, { invite_id: id, token }, undefined)
  t.match(await at(created + 72 * HOUR), { id }, 'valid until the last millisecond')
  await t.rejects(at(created + 72 * HOUR + 1), { code: 'expired' })
  advance(72 * HOUR)
  t.match(await call('signup.retrieve', { params: { invite_id: id }, query: { token }, key: null }), {
    status: 400,
    body: { code: 'expired' },
  })
  t.match(await call('signup.accept', { params: { invite_id: id }, key: null, body: { token } }), {
    status: 400,
    body: { code: 'expired' },
  })
  t.equal((await call('organizations.retrieve', { params: { id: '@current' } })).body.member_count, '1')
})

onBothEngines(t, 'rejects an invite whose inviter was demoted', async (t, app) => {
  const { call, member, deps } = app
  const admin = await member('admin@example.com', 8)
  const { body } = await call('invites.create', {
    params: { organization_id: '@current' },
    key: admin.key,
    body: { target_email: 'x@example.com', level: 8 },
  })
  // Another node lowers the level between the check and the acceptance.
  await deps.db.run(sql`update members set level = 1 where user_id = ${admin.id}`)
  const token = body.signup_token
  t.match(await call('signup.accept', { params: { invite_id: body.id }, key: null, body: { token } }), {
    status: 400,
    body: { code: 'inviter_not_allowed' },
  })
  t.match(
    await call('signup.accept', {
      params: { invite_id: body.id },
      key: null,
      body: { token, first_name: 'x'.repeat(129) },
    }),
    {
      status: 400,
      body: { code: 'max_length', attr: 'first_name' },
    },
  )
})

for (const engine of nextEngines())
  t.test(`one of several concurrent requests accepts an invite (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    for (let round = 0; round < 5; round++) {
      const { id, token } = await invite(app, `racer${round}@example.com`)
      const responses = await Promise.all(
        Array.from({ length: 4 }, () =>
          app.call('signup.accept', { params: { invite_id: id }, key: null, body: { token } }),
        ),
      )
      t.strictSame(responses.map(({ status }) => status).sort(), [201, 400, 400, 400])
      for (const { status, error } of responses) if (status === 400) t.equal(error?.code, 'already_used')
    }
    t.equal((await app.call('organizations.retrieve', { params: { id: '@current' } })).body.member_count, '6')
  })

t.test('serves the signup page', async (t) => {
  const { send } = await openApp(t, 'sqlite')
  const page = await send('GET', '/signup/99999999-9999-7999-8999-999999999999/?token=secret', { key: null })
  t.match(page, { status: 200, headers: { 'content-type': /^text\/html/ }, text: /no-referrer/ }, 'the console')
  t.notMatch(page.text, /secret|https?:/)
})
