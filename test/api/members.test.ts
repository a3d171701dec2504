import t from 'tap'
import { type CallOptions, nextEngines, onBothEngines, openApp, type Person, type TestApp } from '../helpers/app.ts'

const LEVELS = [1, 8, 15]

onBothEngines(t, 'lists, filters and pages members', async (t, { call, send, first, member }) => {
  const url = `/api/organizations/${first.organization_id}/members/` as const
  const ada = await member('Ada@Example.com', 8)
  await member('grace@example.com', 1)
  const list = await call('members.list')
  t.strictSame(
    list.body.results.map((m) => m.user.email),
    ['grace@example.com', 'Ada@Example.com', 'owner@example.com'],
    'latest first',
  )
  t.match(list.body.results[1], {
    level: 8,
    is_2fa_enabled: false,
    has_social_auth: false,
    user: { uuid: ada.uuid, hedgehog_config: null },
  })
  const emails = async (query: CallOptions<'members.list'>['query']) =>
    (await call('members.list', { query })).body.results.map((m) => m.user.email)
  t.strictSame(await emails({ order: 'joined_at', limit: 1 }), ['owner@example.com'])
  t.strictSame(await emails({ email: 'ada@example.com' }), ['Ada@Example.com'])
  t.strictSame(await emails({ search: 'GRACE' }), ['grace@example.com'])
  t.strictSame(await emails({ search: '%' }), [], 'no wildcards')
  t.strictSame(await emails({ updated_after: list.body.results[1]?.updated_at }), ['grace@example.com'])
  t.match(await call('members.list', { query: { updated_after: 'yesterday' } }), {
    status: 400,
    body: { attr: 'updated_after' },
  })
  t.match(await call('members.list', { query: { order: 'name' } }), {
    status: 400,
    body: { code: 'invalid_choice', attr: 'order' },
  })
  t.equal((await send('GET', `${url}${ada.uuid}/`)).status, 405, 'a single member cannot be read')
  t.equal((await call('organizations.retrieve', { params: { id: first.organization_id } })).body.member_count, '3')
})

onBothEngines(t, 'updates and removes members', async (t, { call, first, member }) => {
  const ada = await member('ada@example.com', 1)
  const raised = await call('members.update', { params: { user__uuid: ada.uuid }, body: { level: 8 } })
  t.match(raised, { status: 200, body: { level: 8, user: { email: 'ada@example.com' } } })
  t.ok(raised.body.updated_at > raised.body.joined_at)
  t.equal(
    (await call('members.update', { params: { user__uuid: ada.uuid.toUpperCase() }, body: { level: 15 } })).body.level,
    15,
    'owners can add owners',
  )
  t.equal(
    (await call('members.update', { params: { user__uuid: '@me' } })).status,
    200,
    'an empty update of oneself is accepted',
  )
  const self = await call('members.update', { params: { user__uuid: '@me' }, body: { level: 15 } })
  t.match(self, { status: 200, body: { level: 15 } }, 'the current level is accepted')
  t.equal(self.body.updated_at, self.body.joined_at, 'the current level changes nothing')
  t.match(
    await call('members.update', { params: { user__uuid: '@me' }, body: { level: 8 } }),
    { status: 403 },
    'another level is rejected',
  )
  t.equal(
    (await call('members.list', { query: { order: 'joined_at' } })).body.results[0]?.user.email,
    'owner@example.com',
  )
  for (const order of ['level', 'JOINED_AT', '', 'joined_at,level', '-user__email'])
    t.match(
      await call('members.list', { query: { order } }),
      { status: 400, body: { type: 'validation_error', code: 'invalid_choice', attr: 'order' } },
      order,
    )
  t.match(await call('members.remove', { params: { user__uuid: ada.uuid } }), {
    status: 400,
    body: { type: 'validation_error', code: 'invalid_input', attr: null },
  })
  t.match(await call('members.remove', { params: { user__uuid: '@me' } }), {
    status: 400,
    body: { code: 'invalid_input', attr: null },
  })
  for (const [level, error] of [
    [2, 'invalid_choice'],
    ['8', 'invalid_choice'],
    [null, 'null'],
    [8.5, 'invalid_choice'],
    [true, 'invalid_choice'],
    [[1], 'invalid_choice'],
    [1e308, 'invalid_choice'],
  ] as const) {
    const response = await call('members.update', { params: { user__uuid: ada.uuid }, body: { level } })
    t.match(response, { status: 400, body: { attr: 'level' } }, String(level))
    t.ok([error, 'invalid_input'].includes(String(response.error?.code)))
  }
  t.equal((await call('members.update', { params: { user__uuid: ada.uuid }, body: { level: 1 } })).status, 200)
  t.equal(
    (await call('members.remove', { params: { user__uuid: '@me' }, key: ada.key })).status,
    204,
    'members and administrators can leave',
  )
  t.equal((await call('members.list', { key: ada.key })).status, 404)
  t.match((await call('users.me', { key: ada.key })).body, {
    email: 'ada@example.com',
    organization: null,
  })
  t.equal((await call('organizations.retrieve', { params: { id: first.organization_id } })).body.member_count, '1')
})

/** The expected status by caller level, target level and action. A number is the new level. */
function expected(caller: number, target: number, self: boolean, verb: 'remove' | number | 'nothing'): number {
  const mayManage = self || (caller >= 8 && target <= caller)
  if (!mayManage) return 403
  if (verb === 'nothing' || verb === target) return 200
  if (verb === 'remove') return target === 15 ? 400 : 204
  return self || verb > caller ? 403 : 200
}

for (const engine of nextEngines())
  t.test(`levels decide which members can be updated and removed (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    const { call } = app
    const callers = new Map<number, Person>()
    for (const level of LEVELS) callers.set(level, await app.member(`caller${level}@example.com`, level))
    let people = 0
    let cells = 0
    for (const caller of LEVELS)
      for (const target of LEVELS)
        for (const verb of ['remove', 'nothing', ...LEVELS] as const) {
          const person = await app.member(`target${++people}@example.com`, target)
          const name = `${caller} → ${target}: ${verb}`
          const request = () =>
            verb === 'remove'
              ? call('members.remove', { params: { user__uuid: person.uuid }, key: callers.get(caller)?.key })
              : call('members.update', {
                  params: { user__uuid: person.uuid },
                  key: callers.get(caller)?.key,
                  body: verb === 'nothing' ? {} : { level: verb },
                })
          const status = expected(caller, target, false, verb)
          const response = await request()
          t.equal(response.status, status, name)
          if (status >= 400) t.strictSame(Object.keys(response.body), ['type', 'code', 'detail', 'attr'])
          const after = (await call('members.list', { query: { email: person.email } })).body.results[0]?.level
          t.equal(
            after,
            status === 204 ? undefined : status === 200 && verb !== 'nothing' ? verb : target,
            `${name}, afterwards`,
          )
          cells++
        }
    for (const level of LEVELS)
      for (const verb of ['nothing', ...LEVELS, 'remove'] as const) {
        const self = await app.member(`self${level}${verb}@example.com`, level)
        const response =
          verb === 'remove'
            ? await call('members.remove', { params: { user__uuid: '@me' }, key: self.key })
            : await call('members.update', {
                params: { user__uuid: '@me' },
                key: self.key,
                body: verb === 'nothing' ? {} : { level: verb },
              })
        t.equal(response.status, expected(level, level, true, verb), `${level} → self: ${verb}`)
        cells++
      }
    t.equal(cells, 60)
  })

for (const engine of nextEngines())
  t.test(`two owners who demote each other concurrently leave one owner (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    for (let round = 0; round < 10; round++) {
      const other = await app.member(`owner${round}@example.com`, 15)
      const me = (await app.call('users.me')).body.uuid
      const responses = await Promise.all([
        app.call('members.update', { params: { user__uuid: other.uuid }, body: { level: 1 } }),
        app.call('members.update', { params: { user__uuid: me }, key: other.key, body: { level: 1 } }),
      ])
      t.strictSame(responses.map(({ status }) => status).sort(), [200, 403])
      t.equal(await owners(app, other.key), 1)
      if (responses[1].status === 200)
        await app.call('members.update', { params: { user__uuid: me }, key: other.key, body: { level: 15 } })
      else continue
      await app.call('members.update', { params: { user__uuid: other.uuid }, body: { level: 1 } })
    }
  })

async function owners(app: TestApp, key: string): Promise<number> {
  const { body } = await app.call('members.list', { key })
  return body.results.filter((m) => m.level === 15).length
}
