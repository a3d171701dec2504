import t from 'tap'
import { onBothEngines } from '../helpers/app.ts'

onBothEngines(t, 'creates, updates and deletes projects', async (t, { call, follow, first, member }) => {
  const own = await call('projects.retrieve', { params: { id: first.project_id } })
  t.match(own, {
    status: 200,
    body: {
      id: first.project_id,
      organization: first.organization_id,
      api_token: first.project_token,
      name: 'Default project',
      timezone: 'UTC',
      event_retention_days: null,
    },
  })

  const admin = await member('admin@example.com', 8)
  const created = await call('projects.create', {
    key: admin.key,
    body: { name: ' Mobile ', event_retention_days: 30 },
  })
  t.match(created, {
    status: 201,
    body: { name: 'Mobile', organization: first.organization_id, event_retention_days: 30 },
  })
  t.match(created.body.api_token, /^phc_/)
  t.not(created.body.api_token, first.project_token)
  for (const key of [admin.key, first.api_key])
    t.equal(
      (await call('projects.retrieve', { params: { id: '@current' }, key })).body.id,
      first.project_id,
      '@current does not change',
    )

  const changed = await call('projects.update', {
    params: { id: created.body.id },
    body: { name: 'Phone', event_retention_days: null, api_token: 'phc_mine', id: 7 },
  })
  t.match(changed, {
    status: 200,
    body: { id: created.body.id, name: 'Phone', event_retention_days: null, api_token: created.body.api_token },
  })
  t.equal((await call('projects.update', { params: { id: created.body.id } })).body.name, 'Phone')
  t.strictSame(
    (await call('projects.update', { params: { id: created.body.id }, body: changed.body })).body,
    changed.body,
    'current values change nothing',
  )
  t.equal(
    (await call('projects.update', { params: { id: created.body.id }, body: { timezone: 'UTC' } })).body.timezone,
    'UTC',
  )

  const reset = await call('projects.reset_token', { params: { id: created.body.id } })
  t.equal(reset.status, 200)
  t.not(reset.body.api_token, created.body.api_token)
  t.equal((await call('projects.retrieve', { params: { id: created.body.id } })).body.api_token, reset.body.api_token)

  const list = await call('projects.list', { query: { limit: 1 } })
  t.match(list.body, { count: 2, previous: null, results: [{ id: first.project_id }] })
  t.match((await follow(list)).body.results, [{ id: created.body.id }])
  t.strictSame(
    (await call('organizations.retrieve', { params: { id: '@current' } })).body.teams.map((team) => team.name),
    ['Default project', 'Phone'],
  )

  t.equal(
    (
      await call('projects.delete', {
        params: { id: created.body.id },
        headers: { 'content-type': 'application/json' },
      })
    ).status,
    204,
    'DELETE with a content type and no body',
  )
  t.equal((await call('projects.retrieve', { params: { id: created.body.id } })).status, 404)
  const next = await call('projects.create', { body: { name: 'Later' } })
  t.ok(next.body.id > created.body.id, 'ids are not reused')
})

onBothEngines(
  t,
  'checks levels, organizations and fields of projects',
  async (t, { call, send, first, member, stranger }) => {
    const plain = await member('plain@example.com', 1)
    const outsider = await stranger('outsider@example.com')
    const url = `/api/projects/${first.project_id}/` as const
    t.equal((await call('projects.retrieve', { params: { id: first.project_id }, key: plain.key })).status, 200)
    t.match(await call('projects.create', { key: plain.key, body: { name: 'x' } }), { status: 403 })
    for (const [method, path] of [
      ['PATCH', url],
      ['DELETE', url],
      ['PATCH', `${url}reset_token/`],
    ] as const) {
      t.equal((await send(method, path, { key: plain.key })).status, 403)
      t.equal((await send(method, path, { key: outsider.key })).status, 404)
    }

    const foreign = { name: 'x', organization: outsider.organization_id }
    t.match(await call('projects.create', { body: foreign }), {
      status: 400,
      body: { code: 'does_not_exist', attr: 'organization' },
    })
    const nowhere = { name: 'x', organization: '99999999-9999-7999-8999-999999999999' }
    t.same(
      (await call('projects.create', { body: nowhere })).text,
      (await call('projects.create', { body: foreign })).text,
    )
    t.equal(
      (await call('projects.create', { key: outsider.key, body: { ...foreign, organization: '@current' } })).status,
      201,
    )

    for (const [body, error] of [
      [{}, { code: 'required', attr: 'name' }],
      [{ name: ' ' }, { code: 'blank', attr: 'name' }],
      [{ name: 'x'.repeat(201) }, { code: 'max_length', attr: 'name' }],
      [
        { name: 'x', event_retention_days: 0 },
        { code: 'invalid_input', attr: 'event_retention_days' },
      ],
      [
        { name: 'x', event_retention_days: 1.5 },
        { code: 'invalid_input', attr: 'event_retention_days' },
      ],
      [
        { name: 'x', event_retention_days: 1e308 },
        { code: 'invalid_input', attr: 'event_retention_days' },
      ],
      [
        { name: 'x', event_retention_days: '30' },
        { code: 'invalid_input', attr: 'event_retention_days' },
      ],
      [
        { name: 'x', timezone: 'Europe/Berlin' },
        { code: 'invalid_choice', attr: 'timezone' },
      ],
      [
        { name: 'x', timezone: null },
        { code: 'null', attr: 'timezone' },
      ],
      [
        { name: 'x', organization: 5 },
        { code: 'invalid_input', attr: 'organization' },
      ],
    ] as const)
      t.match(await call('projects.create', { body }), { status: 400, body: error })
  },
)

onBothEngines(t, 'projects can be managed under their organization', async (t, app) => {
  const { call, follow, send, first, member, stranger, key } = app
  const second = (await call('organizations.create', { body: { name: 'Second' } })).body
  const outsider = await stranger('outsider@example.com')
  const plain = await member('plain@example.com', 1)
  const url = `/api/organizations/${second.id}/projects/` as const
  const created = await call('organization_projects.create', {
    params: { organization_id: second.id },
    body: { name: ' Mobile ', event_retention_days: 30, organization: first.organization_id },
  })
  t.match(created, { status: 201, body: { name: 'Mobile', organization: second.id, event_retention_days: 30 } })
  t.strictSame(
    (await call('organization_projects.retrieve', { params: { organization_id: second.id, id: created.body.id } }))
      .body,
    (await call('projects.retrieve', { params: { id: created.body.id } })).body,
  )

  const list = await call('organization_projects.list', { params: { organization_id: second.id }, query: { limit: 1 } })
  t.match(list.body, { count: 2, previous: null, results: [{ organization: second.id }] })
  t.match((await follow(list)).body, { next: null, results: [{ id: created.body.id }] })
  t.match((await call('organization_projects.list', { params: { organization_id: '@current' } })).body, {
    count: 1,
    results: [{ id: first.project_id }],
  })

  t.equal(
    (await call('organization_projects.retrieve', { params: { organization_id: '@current', id: '@current' } })).body.id,
    first.project_id,
  )
  const elsewhere = await call('organization_projects.retrieve', {
    params: { organization_id: second.id, id: '@current' },
  })
  t.equal(elsewhere.status, 404, '@current is in another organization')
  for (const [method, path] of [
    ['GET', `${url}${first.project_id}/`],
    ['PATCH', `${url}${first.project_id}/`],
    ['DELETE', `${url}${first.project_id}/`],
    ['PATCH', `${url}${first.project_id}/reset_token/`],
    ['GET', `/api/organizations/${outsider.organization_id}/projects/${outsider.project_id}/`],
    ['GET', `/api/organizations/${outsider.organization_id}/projects/`],
  ] as const)
    t.equal((await send(method, path)).text, elsewhere.text, `${method} ${path}`)

  t.equal((await call('organization_projects.list', { key: plain.key })).status, 200)
  t.equal((await call('organization_projects.create', { key: plain.key, body: { name: 'x' } })).status, 403)
  const limited = await key({ restrictions: { organizations: [first.organization_id], projects: null } })
  t.equal((await call('organization_projects.list', { key: limited })).body.count, 1)
  t.equal(
    (await call('organization_projects.list', { params: { organization_id: second.id }, key: limited })).status,
    404,
  )

  t.match(
    await call('organization_projects.update', {
      params: { organization_id: second.id, id: created.body.id },
      body: { name: 'Phone' },
    }),
    { status: 200, body: { name: 'Phone' } },
  )
  t.not(
    (await call('organization_projects.reset_token', { params: { organization_id: second.id, id: created.body.id } }))
      .body.api_token,
    created.body.api_token,
  )
  t.equal(
    (await call('organization_projects.delete', { params: { organization_id: second.id, id: created.body.id } }))
      .status,
    204,
  )
  t.equal((await call('projects.retrieve', { params: { id: created.body.id } })).status, 404)
  t.equal((await call('projects.retrieve', { params: { id: '@current' } })).body.id, first.project_id)
})
