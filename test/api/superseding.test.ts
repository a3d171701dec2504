/** Unverified accounts, and the owners of their addresses who sign up later. */
import t from 'tap'
import { actorOf, keyLookup } from '../../src/auth/caller.ts'
import type { ComposedInvites } from '../../src/mail/mailer.ts'
import { composeInvites, create } from '../../src/organizations/invites.ts'
import { sql } from '../../src/sql/template.ts'
import { nextEngines, onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { defined, only, rowOf } from '../helpers/assertions/items.ts'

const VICTIM = 'victim@example.com'

/** An invite of a server without email: its token is in the response. */
async function inviteWithoutMail(app: TestApp, key: string, target_email = VICTIM, level = 1) {
  const { body } = await app.call('invites.create', {
    params: { organization_id: '@current' },
    key,
    body: { target_email, level },
  })
  return { invite_id: body.id as string, token: body.signup_token as string }
}

/** An invite to the first organization, with its token only in the email. */
async function inviteByMail({ deps, first }: TestApp, target_email = VICTIM) {
  const { db } = deps
  const caller = defined(await keyLookup(db)(first.api_key))
  const organization = { id: first.organization_id, name: 'My organization' }
  const { id } = await create(
    { ...deps, mailer: { wake: () => undefined } },
    { caller, actor: actorOf(caller, '127.0.0.1') },
    organization,
    { target_email },
  )
  const mail = await rowOf<{ id: string }>(db, sql`select id from letters order by created_at desc limit 1`)
  const composed = await composeInvites(deps, 'https://site.example', { id: mail.id, content: { invite_id: id } })
  const { link } = only((composed as ComposedInvites).invites)
  return { invite_id: id, token: String(new URL(link).searchParams.get('token')) }
}

interface InviteLink {
  invite_id: string
  token: string
}

const open = ({ call }: TestApp, { invite_id, token }: InviteLink, key: string | null = null) =>
  call('signup.retrieve', { params: { invite_id }, query: { token }, key })

const accept = ({ call }: TestApp, { invite_id, token }: InviteLink, key: string | null = null) =>
  call('signup.accept', { params: { invite_id }, key, body: { token } })

onBothEngines(t, 'an emailed invite supersedes an account that was created without email', async (t, app) => {
  const { call, deps } = app
  const mallory = await app.stranger('mallory@example.com')
  const taken = await accept(app, await inviteWithoutMail(app, mallory.key, VICTIM, 15))
  t.match(taken, { status: 201, body: { user: { email: VICTIM, is_email_verified: false } } })
  const key = taken.body.api_key
  const own = (await call('organizations.create', { key, body: { name: 'Trap' } })).body
  const pending = await call('invites.create', {
    params: { organization_id: own.id },
    key,
    body: { target_email: 'accomplice@example.com', level: 15 },
  })

  const invite = await inviteByMail(app)
  t.match(await open(app, invite), {
    status: 200,
    body: { target_email: VICTIM, supersedes_account: true },
  })
  const joined = await accept(app, invite)
  t.match(joined, { status: 201, body: { user: { email: VICTIM, is_email_verified: true } } })
  t.not(joined.body.user.uuid, taken.body.user.uuid)

  t.match(await call('users.me', { key }), { status: 401, body: { code: 'authentication_failed' } })
  const theirs = await call('organizations.list', { key: joined.body.api_key })
  t.match(theirs.body, { count: 1, results: [{ id: app.first.organization_id }] }, 'the new account inherits nothing')
  const left = await call('organizations.retrieve', { params: { id: mallory.organization_id }, key: mallory.key })
  t.equal(left.body.member_count, '1')
  t.strictSame(
    (
      await call('members.list', { params: { organization_id: mallory.organization_id }, key: mallory.key })
    ).body.results.map((member) => member.user.email),
    ['mallory@example.com'],
  )
  t.match(
    await call('signup.accept', {
      params: { invite_id: pending.body.id },
      key: null,
      body: { token: pending.body.signup_token },
    }),
    { status: 400, body: { code: 'invalid_input' } },
    'its invites are deleted',
  )
  const record = await rowOf<{ is_active: boolean | number }>(
    deps.db,
    sql`
    select u.email, u.is_active, m.level, o.member_count from members m join users u on u.id = m.user_id
    join organizations o on o.id = m.organization_id where o.id = ${own.id}`,
  )
  t.match(record, { email: `${taken.body.user.uuid}@superseded.invalid`, level: 15, member_count: 0 })
  t.notOk(record.is_active, 'the organization keeps its owner on record')
  t.match(await accept(app, invite), { status: 400, body: { code: 'already_used' } })
})

onBothEngines(t, 'verified accounts and invites without email supersede no account', async (t, app) => {
  const { call } = app
  const mallory = await app.stranger('mallory@example.com')
  const unverified = await accept(app, await inviteWithoutMail(app, mallory.key))
  const other = await inviteWithoutMail(app, app.first.api_key)
  for (const method of ['GET', 'POST'])
    t.match(
      method === 'GET' ? await open(app, other) : await accept(app, other),
      { status: 400, body: { code: 'account_exists' } },
      'an invite without mail',
    )
  t.equal((await call('users.me', { key: unverified.body.api_key })).status, 200)

  const proven = await accept(app, await inviteByMail(app, 'proven@example.com'))
  t.match(proven.body.user, { is_email_verified: true })
  await call('members.remove', { params: { organization_id: '@current', user__uuid: proven.body.user.uuid } })
  t.match(await accept(app, await inviteByMail(app, 'proven@example.com')), {
    status: 400,
    body: { code: 'account_exists' },
  })

  await app.stranger('created@example.com')
  const operatorCreated = await inviteByMail(app, 'created@example.com')
  t.match(
    await accept(app, operatorCreated),
    { status: 400, body: { code: 'account_exists' } },
    'an account created by the operator',
  )
})

onBothEngines(t, 'the key of an unverified account and an emailed token verify its address', async (t, app) => {
  const mallory = await app.stranger('mallory@example.com')
  const { body: before } = await accept(app, await inviteWithoutMail(app, mallory.key))
  const invite = await inviteByMail(app)
  t.match(await open(app, invite, before.api_key), {
    status: 200,
    body: { supersedes_account: false },
  })
  t.match(await accept(app, invite, before.api_key), {
    status: 201,
    body: { api_key: null, user: { uuid: before.user.uuid, is_email_verified: true } },
  })
  t.equal((await app.call('organizations.list', { key: before.api_key })).body.count, 2)
})

for (const engine of nextEngines())
  t.test(`one of two concurrent requests that supersede and join with an account succeeds (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    const mallory = await app.stranger('mallory@example.com')
    for (let round = 0; round < 5; round++) {
      const email = `victim${round}@example.com`
      const { body: before } = await accept(app, await inviteWithoutMail(app, mallory.key, email))
      const invite = await inviteByMail(app, email)
      const [superseding, joining] = await Promise.all([accept(app, invite), accept(app, invite, before.api_key)])
      t.strictSame([superseding, joining].map(({ status }) => status === 201).sort(), [false, true])
      const active = await app.deps.db.all(sql`
        select u.id from members m join users u on u.id = m.user_id
        where m.organization_id = ${app.first.organization_id} and u.email_key = ${email}`)
      t.equal(active.length, 1)
    }
    const disabled = await app.deps.db.all(sql`
      select m.id from members m join users u on u.id = m.user_id where not u.is_active`)
    t.strictSame(disabled, [], 'no disabled account joined')
  })
