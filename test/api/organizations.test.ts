import t from 'tap'
import { slugOf } from '../../src/organizations/slug.ts'
import { type ApiResponse, nextEngines, onBothEngines, openApp } from '../helpers/app.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import type { BodyOf } from '../helpers/response-bodies.ts'

onBothEngines(t, 'creates, reads, updates and deletes organizations', async (t, { call, first }) => {
  const own = await call('organizations.retrieve', { params: { id: first.organization_id } })
  t.match(own, {
    status: 200,
    body: {
      id: first.organization_id,
      name: 'My organization',
      slug: 'my-organization',
      membership_level: 15,
      plugins_access_level: 9,
      teams: [{ id: first.project_id, name: 'Default project', api_token: first.project_token, timezone: 'UTC' }],
      available_product_features: [],
      is_member_join_email_enabled: true,
      metadata: '{"instance_tag":"none"}',
      customer_id: null,
      enforce_2fa: null,
      member_count: '1',
    },
  })

  const created = await call('organizations.create', {
    body: { name: '  Foo & Bar, Inc. ', enforce_2fa: true, slug: 'mine', plugins_access_level: 9, unknown: [] },
  })
  t.match(created, {
    status: 201,
    body: {
      name: 'Foo & Bar, Inc.',
      slug: 'foo-bar-inc',
      enforce_2fa: true,
      plugins_access_level: 6,
      member_count: '1',
      membership_level: 15,
    },
  })
  t.equal(created.body.teams.length, 1)
  t.equal(
    (await call('organizations.retrieve', { params: { id: '@current' } })).body.id,
    first.organization_id,
    'a new organization does not become current',
  )

  const again = await call('organizations.create', { body: { name: 'foo  bar inc' } })
  t.match(again.body.slug, /^foo-bar-inc-[a-z]{4}$/, 'a taken slug gets four lower-case letters')
  t.equal((await call('organizations.retrieve', { params: { id: again.body.id } })).body.slug, again.body.slug)

  const renamed = await call('organizations.update', {
    params: { id: created.body.id },
    body: { name: 'Renamed', is_member_join_email_enabled: false, enforce_2fa: null },
  })
  t.match(renamed, {
    status: 200,
    body: { name: 'Renamed', slug: 'foo-bar-inc', is_member_join_email_enabled: false, enforce_2fa: null },
  })
  t.ok(renamed.body.updated_at > created.body.updated_at)
  const same = await call('organizations.update', { params: { id: created.body.id }, body: renamed.body })
  t.strictSame(same.body, renamed.body, 'current values change nothing, including updated_at')
  t.equal(
    (await call('organizations.update', { params: { id: created.body.id } })).status,
    200,
    'PATCH accepts a missing body',
  )
  t.equal((await call('organizations.update', { params: { id: created.body.id }, body: {} })).body.name, 'Renamed')

  const list = await call('organizations.list')
  t.equal(list.body.count, 3)
  t.strictSame(
    list.body.results.map((o) => o.name),
    ['My organization', 'Renamed', 'foo  bar inc'],
    'oldest first',
  )

  const gone = await call('organizations.delete', { params: { id: created.body.id } })
  t.match(gone, { status: 204, text: '' })
  t.equal((await call('organizations.delete', { params: { id: created.body.id } })).status, 404)
  t.equal(
    (await call('projects.retrieve', { params: { id: created.body.teams[0]?.id } })).status,
    404,
    'its project is deleted with it',
  )
  t.equal((await call('organizations.delete', { params: { id: again.body.id } })).status, 204)
  t.equal(
    (await call('organizations.delete', { params: { id: first.organization_id } })).status,
    204,
    'the last organization can be deleted',
  )
  t.match(await call('organizations.list'), { status: 200, body: { count: 0, results: [] } })
  t.equal((await call('organizations.retrieve', { params: { id: '@current' } })).status, 404)
  t.match((await call('users.me')).body, { organization: null, team: null })
  const fresh = await call('organizations.create', { body: { name: 'After' } })
  t.equal(fresh.body.plugins_access_level, 6, 'only the first organization of an installation can share plugins')
  t.ok(itemAt(fresh.body.teams, 0).id > itemAt(again.body.teams, 0).id, 'ids are not reused')
})

onBothEngines(t, 'rejects invalid organizations with distinct errors', async (t, { call, first }) => {
  const cases: [string, unknown, { code: string; attr: string | null }][] = [
    ['no name', {}, { code: 'required', attr: 'name' }],
    ['null', { name: null }, { code: 'null', attr: 'name' }],
    ['blank', { name: '' }, { code: 'blank', attr: 'name' }],
    ...['a\nb', 'a\rb', 'a\tb', 'a\u001b[2Jb', 'a\u007fb', 'a\u0085b', 'a\u2028b', 'a\u2029b'].map(
      (name): [string, unknown, { code: string; attr: string }] => [
        `U+${name.charCodeAt(1).toString(16)}`,
        { name },
        { code: 'invalid_input', attr: 'name' },
      ],
    ),
    ['white space only', { name: ' \t\n ' }, { code: 'blank', attr: 'name' }],
    ['too long', { name: 'x'.repeat(65) }, { code: 'max_length', attr: 'name' }],
    ['a number', { name: 5 }, { code: 'invalid_input', attr: 'name' }],
    ['a list', { name: ['x'] }, { code: 'invalid_input', attr: 'name' }],
    ['NUL', { name: 'a\0b' }, { code: 'null_characters_not_allowed', attr: 'name' }],
    [
      'a string for a boolean',
      { name: 'x', is_member_join_email_enabled: 'yes' },
      { code: 'invalid_input', attr: 'is_member_join_email_enabled' },
    ],
    [
      'null for a boolean',
      { name: 'x', is_member_join_email_enabled: null },
      { code: 'null', attr: 'is_member_join_email_enabled' },
    ],
    ['a number for a nullable boolean', { name: 'x', enforce_2fa: 1 }, { code: 'invalid_input', attr: 'enforce_2fa' }],
    ['a list as the body', [], { code: 'invalid_input', attr: null }],
    ['null as the body', null, { code: 'null', attr: null }],
  ]
  for (const [name, body, error] of cases)
    t.match(
      await call('organizations.create', { raw: { type: 'application/json', payload: JSON.stringify(body) } }),
      {
        status: 400,
        body: { type: 'validation_error', ...error },
      },
      name,
    )
  t.equal((await call('organizations.list')).body.count, 1, 'nothing was created')

  const longest = await call('organizations.create', { body: { name: `  ${'é'.repeat(64)}  ` } })
  t.match(
    longest,
    { status: 201, body: { name: 'é'.repeat(64), slug: 'e'.repeat(48) } },
    'the length is checked after trimming',
  )
  t.equal((await call('organizations.create', { body: { name: '日本' } })).body.slug, '')
  t.match((await call('organizations.create', { body: { name: '中国' } })).body.slug, /^-[a-z]{4}$/)
  t.equal((await call('organizations.create', { body: { name: 'half \ud83d pair' } })).body.name, 'half \ufffd pair')
  t.match((await call('organizations.update', { params: { id: first.organization_id }, body: { name: '' } })).body, {
    code: 'blank',
    attr: 'name',
  })
})

onBothEngines(
  t,
  'levels decide which members can update and delete an organization',
  async (t, { call, send, first, member, stranger }) => {
    const url = `/api/organizations/${first.organization_id}/` as const
    const plain = await member('plain@example.com', 1)
    const admin = await member('admin@example.com', 8)
    const outsider = await stranger('outsider@example.com')
    t.match((await call('organizations.retrieve', { params: { id: first.organization_id }, key: plain.key })).body, {
      membership_level: 1,
      member_count: '3',
    })

    t.match(
      await call('organizations.update', {
        params: { id: first.organization_id },
        key: plain.key,
        body: { name: 'x' },
      }),
      {
        status: 403,
        body: { type: 'authentication_error', code: 'permission_denied', attr: null },
      },
    )
    t.equal(
      (await call('organizations.update', { params: { id: first.organization_id }, key: plain.key, body: { name: 5 } }))
        .status,
      403,
      'the level is checked before the body',
    )
    t.equal(
      (
        await call('organizations.update', {
          params: { id: first.organization_id },
          key: admin.key,
          body: { name: 'By the administrator' },
        })
      ).status,
      200,
    )
    t.equal((await call('organizations.delete', { params: { id: first.organization_id }, key: plain.key })).status, 403)
    t.equal((await call('organizations.delete', { params: { id: first.organization_id }, key: admin.key })).status, 403)

    const absent = await call('organizations.retrieve', {
      params: { id: '00000000-0000-7000-8000-999999999999' },
      key: outsider.key,
    })
    for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['PATCH', { name: 5 }], ['DELETE']] as const) {
      const response = await send(method, url, { key: outsider.key, body })
      t.equal(response.status, 404)
      t.equal(
        response.text,
        absent.text,
        `${method} of another tenant's organization has the response of an unknown id`,
      )
    }
    t.equal(
      (await call('organizations.retrieve', { params: { id: first.organization_id } })).body.name,
      'By the administrator',
    )
    t.equal((await call('organizations.list', { key: outsider.key })).body.count, 1)
    t.equal((await send('GET', url.toUpperCase().replace('/API/ORGANIZATIONS', '/api/organizations'))).status, 200)
  },
)

onBothEngines(t, 'pages a list of organizations', async (t, { call, follow, send }) => {
  for (let i = 1; i < 5; i++) await call('organizations.create', { body: { name: `Organization ${i}` } })
  const names = (response: ApiResponse<BodyOf<'organizations.list'>>) => response.body.results.map((o) => o.name)
  const first = await send('GET', '/api/organizations/?limit=2&x=a+b')
  t.strictSame(names(first), ['My organization', 'Organization 1'])
  t.match(first.body, {
    count: 5,
    previous: null,
    next: 'http://localhost:80/api/organizations/?limit=2&offset=2&x=a+b',
  })
  const second = await follow(first)
  t.strictSame(names(second), ['Organization 2', 'Organization 3'])
  t.equal(second.body.previous, 'http://localhost:80/api/organizations/?limit=2&x=a+b')
  const last = await follow(second)
  t.match(last.body, { next: null, results: [{ name: 'Organization 4' }] })
  t.match((await send('GET', '/api/organizations?limit=2&offset=40')).body, {
    count: 5,
    results: [],
    next: null,
    previous: 'http://localhost:80/api/organizations?limit=2&offset=38',
  })
  t.equal(
    (await send('GET', '/api/organizations/?limit=2&x=a?b&y=c')).body.next,
    'http://localhost:80/api/organizations/?limit=2&offset=2&x=a%3Fb&y=c',
    'a second question mark is part of the query',
  )
  for (const wrong of [
    'limit=0',
    'limit=1001',
    'limit=x',
    'limit=',
    'limit=1.5',
    'limit=1&limit=2',
    'offset=-1',
    'offset=1e99',
    'offset=nan',
  ]) {
    const response = await send('GET', `/api/organizations/?${wrong}`)
    t.match(response, { status: 400, body: { code: 'invalid_input', attr: wrong.split('=')[0] } }, wrong)
  }
})

for (const engine of nextEngines())
  t.test(`requests during the deletion of an organization succeed or find nothing (${engine})`, async (t) => {
    const { call } = await openApp(t, engine)
    for (let round = 0; round < 10; round++) {
      const { id } = (await call('organizations.create', { body: { name: 'Short-lived' } })).body
      const responses = await Promise.all([
        call('projects.create', { body: { name: 'x', organization: id } }),
        call('organizations.delete', { params: { id } }),
        call('domains.create', { params: { organization_id: id }, body: { domain: 'late.example' } }),
        call('invites.create', { params: { organization_id: id }, body: { target_email: 'late@example.com' } }),
        call('organizations.update', { params: { id }, body: { name: 'Late' } }),
        call('projects.create', { body: { name: 'x', organization: id } }),
      ])
      for (const { status, text } of responses) t.ok([200, 201, 204, 400, 404].includes(status), text)
      // SQLite writes in the order of arrival, so the deletion came first.
      if (engine === 'sqlite') t.equal(responses[4]?.status, 404, 'a deleted organization is not found')
    }
  })

t.test('derives slugs from names', async (t) => {
  for (const [name, slug] of [
    ['Foo & Bar, Inc.', 'foo-bar-inc'],
    ['Héllo Wörld!', 'hello-world'],
    ['A.B', 'ab'],
    ['日本', ''],
    ['__a - b__', 'a-b'],
    ['x'.repeat(60), 'x'.repeat(48)],
  ] as const)
    t.equal(slugOf(name), slug)
})
