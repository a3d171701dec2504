/** Accounts whose address nobody proved, and the owner of the address who comes later. */
import t from 'tap'
import { createInviteLink, makeInvites } from '../../src/auth/invites.ts'
import { sql } from '../../src/sql/template.ts'
import { getByEmail } from '../../src/store/users.ts'
import { ENGINES, onBothEngines, openApp, type TestApp } from '../helpers/app.ts'

const VICTIM = 'victim@example.com'

/** An invite whose secret is in the answer: what a server without mail makes. */
async function answered(app: TestApp, key: string, target_email = VICTIM, level = 1) {
  const url = '/api/organizations/@current/invites/'
  const { body } = await app.send('POST', url, { key, body: { target_email, level } })
  return { url: `/api/signup/${body.id}/`, token: body.signup_token as string }
}

/** An invite to the first organization whose secret only its mail carries. */
async function mailed({ deps, first }: TestApp, target_email = VICTIM) {
  const { db, ids, now } = deps
  const [made] = await makeInvites(db, ids, now(), {
    organization: { id: first.organization_id, name: 'My organization' },
    inviter: (await getByEmail(db, 'owner@example.com'))!,
    writes: [{ target_email }],
    attr: () => null,
    mailed: true,
    limited: false,
  })
  const { link } = (await createInviteLink(db, ids, 'https://site.example', made!.id))!
  return { url: `/api/signup/${made!.id}/`, token: new URL(link).searchParams.get('token')! }
}

const accept = (app: TestApp, { url, token }: { url: string; token: string }, key: string | null = null) =>
  app.send('POST', url, { key, body: { token } })

onBothEngines(t, 'a mailed secret supersedes an account that a secret from an answer made', async (t, app) => {
  const { send, deps } = app
  const mallory = await app.stranger('mallory@example.com')
  const taken = await accept(app, await answered(app, mallory.key, VICTIM, 15))
  t.match(taken, { status: 201, body: { user: { email: VICTIM, is_email_verified: false } } })
  const key = taken.body.api_key
  const own = (await send('POST', '/api/organizations/', { key, body: { name: 'Trap' } })).body
  const pending = await send('POST', `/api/organizations/${own.id}/invites/`, {
    key,
    body: { target_email: 'accomplice@example.com', level: 15 },
  })

  const invite = await mailed(app)
  t.match(await send('GET', `${invite.url}?token=${invite.token}`, { key: null }), {
    status: 200,
    body: { target_email: VICTIM, supersedes_account: true },
  })
  const joined = await accept(app, invite)
  t.match(joined, { status: 201, body: { user: { email: VICTIM, is_email_verified: true } } })
  t.not(joined.body.user.uuid, taken.body.user.uuid)

  t.match(await send('GET', '/api/users/@me/', { key }), { status: 401, body: { code: 'authentication_failed' } })
  const theirs = await send('GET', '/api/organizations/', { key: joined.body.api_key })
  t.match(theirs.body, { count: 1, results: [{ id: app.first.organization_id }] }, 'nothing passes to the new account')
  const left = await send('GET', `/api/organizations/${mallory.organization_id}/`, { key: mallory.key })
  t.equal(left.body.member_count, '1')
  t.strictSame(
    (
      await send('GET', `/api/organizations/${mallory.organization_id}/members/`, { key: mallory.key })
    ).body.results.map((member: any) => member.user.email),
    ['mallory@example.com'],
  )
  t.match(
    await send('POST', `/api/signup/${pending.body.id}/`, { key: null, body: { token: pending.body.signup_token } }),
    { status: 400, body: { code: 'invalid_input' } },
    'its invites are gone',
  )
  const [record] = await deps.db.all<any>(sql`
    select u.email, u.is_active, m.level, o.member_count from members m join users u on u.id = m.user_id
    join organizations o on o.id = m.organization_id where o.id = ${own.id}`)
  t.match(record, { email: `${taken.body.user.uuid}@superseded.invalid`, level: 15, member_count: 0 })
  t.notOk(record.is_active, 'the organization keeps its owner on record')
  t.match(await accept(app, invite), { status: 400, body: { code: 'already_used' } })
})

onBothEngines(t, 'what supersedes nobody', async (t, app) => {
  const { send } = app
  const mallory = await app.stranger('mallory@example.com')
  const unverified = await accept(app, await answered(app, mallory.key))
  const other = await answered(app, app.first.api_key)
  for (const method of ['GET', 'POST'])
    t.match(
      method === 'GET'
        ? await send('GET', `${other.url}?token=${other.token}`, { key: null })
        : await accept(app, other),
      { status: 400, body: { code: 'account_exists' } },
      'a secret from an answer',
    )
  t.equal((await send('GET', '/api/users/@me/', { key: unverified.body.api_key })).status, 200)

  const proven = await accept(app, await mailed(app, 'proven@example.com'))
  t.match(proven.body.user, { is_email_verified: true })
  await send('DELETE', `/api/organizations/@current/members/${proven.body.user.uuid}/`)
  t.match(await accept(app, await mailed(app, 'proven@example.com')), {
    status: 400,
    body: { code: 'account_exists' },
  })

  await app.stranger('made@example.com')
  const vouched = await mailed(app, 'made@example.com')
  t.match(
    await accept(app, vouched),
    { status: 400, body: { code: 'account_exists' } },
    'the operator vouched for an account that says nothing about its address',
  )
})

onBothEngines(t, 'the key of an unverified account and a mailed secret together prove its address', async (t, app) => {
  const mallory = await app.stranger('mallory@example.com')
  const { body: before } = await accept(app, await answered(app, mallory.key))
  const invite = await mailed(app)
  t.match(await app.send('GET', `${invite.url}?token=${invite.token}`, { key: before.api_key }), {
    status: 200,
    body: { supersedes_account: false },
  })
  t.match(await accept(app, invite, before.api_key), {
    status: 201,
    body: { api_key: null, user: { uuid: before.user.uuid, is_email_verified: true } },
  })
  t.equal((await app.send('GET', '/api/organizations/', { key: before.api_key })).body.count, 2)
})

for (const engine of ENGINES)
  t.test(`of those who supersede and those who join at one moment, one wins (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    const mallory = await app.stranger('mallory@example.com')
    for (let round = 0; round < 5; round++) {
      const email = `victim${round}@example.com`
      const { body: before } = await accept(app, await answered(app, mallory.key, email))
      const invite = await mailed(app, email)
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
