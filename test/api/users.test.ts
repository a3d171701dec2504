import t from 'tap'
import { onBothEngines, type TestApp } from '../helpers/app.ts'
import { itemAt } from '../helpers/assertions/items.ts'

const currentOf = async ({ call }: TestApp, key?: string): Promise<[string | undefined, number | undefined]> => {
  const options = key === undefined ? {} : { key }
  const { organization, team } = (await call('users.me', options)).body
  const named = await call('organizations.retrieve', { params: { id: '@current' }, ...options })
  const project = await call('projects.retrieve', { params: { id: '@current' }, ...options })
  t.same(
    [organization?.id, team?.id],
    [named.body.id, project.body.id],
    'users.me returns the organization and project of @current',
  )
  return [organization?.id, team?.id]
}

onBothEngines(t, 'updates the name of the caller', async (t, { call, key, first }) => {
  const before = (await call('users.me')).body
  const changed = await call('users.update', { body: { first_name: ' Ada ', last_name: 'Lovelace' } })
  t.strictSame(changed.body, { ...before, first_name: 'Ada', last_name: 'Lovelace' })
  t.strictSame((await call('users.me')).body, changed.body)
  t.equal((await call('members.list', { query: { search: 'ada love' } })).body.count, 1, 'search finds the new name')
  t.equal((await call('members.list', { query: { search: 'Owner ' } })).body.count, 0)
  t.equal((await call('users.update', { body: { last_name: '' } })).body.last_name, '')
  const ignored = { id: 7, uuid: 'x', is_email_verified: true, organization: null, team: null }
  t.match((await call('users.update', { body: ignored })).body, { id: before.id, email: before.email })

  for (const [body, error] of [
    [{ first_name: null }, { code: 'null', attr: 'first_name' }],
    [{ first_name: 'x'.repeat(151) }, { code: 'max_length', attr: 'first_name' }],
    [{ last_name: 5 }, { code: 'invalid_input', attr: 'last_name' }],
    [{ set_current_team: '1' }, { code: 'invalid_input', attr: 'set_current_team' }],
    [{ set_current_organization: null }, { code: 'null', attr: 'set_current_organization' }],
  ] as const)
    t.match(await call('users.update', { body }), { status: 400, body: { type: 'validation_error', ...error } })

  const logged = (await call('activity_log.list', { query: { area: 'users' } })).body.results
  t.strictSame(
    logged.map(({ activity, item_name, changes }) => ({ activity, item_name, changes })),
    [
      [{ field: 'last_name', before: 'Lovelace', after: '' }],
      [
        { field: 'first_name', before: before.first_name, after: 'Ada' },
        { field: 'last_name', before: before.last_name, after: 'Lovelace' },
      ],
    ].map((changes) => ({ activity: 'name_changed', item_name: before.email, changes })),
    'present values and rejected changes are not recorded',
  )

  const reader = await key({ scopes: ['organization:write', 'query:read'] })
  t.equal((await call('users.me', { key: reader })).status, 200, 'any key can read')
  t.equal(
    (await call('users.update', { key: reader, body: { first_name: 'x' } })).status,
    403,
    'writing requires all scopes',
  )
  const limited = await key({ restrictions: { organizations: [first.organization_id], projects: null } })
  t.match(await call('users.update', { key: limited, body: { first_name: 'x' } }), {
    status: 403,
    body: { code: 'permission_denied' },
  })
})

onBothEngines(t, 'sets the current organization and project', async (t, app) => {
  const { call, first, stranger } = app
  const outsider = await stranger('outsider@example.com')
  const second = (await call('organizations.create', { body: { name: 'Second' } })).body
  const later = (
    await call('organization_projects.create', { params: { organization_id: second.id }, body: { name: 'Later' } })
  ).body
  const own: [string, number] = [first.organization_id, first.project_id]
  const oldest = itemAt(second.teams, 0).id
  const set = (body: object) => call('users.update', { body })

  t.match((await set({ set_current_organization: second.id })).body, {
    organization: { id: second.id },
    team: { id: oldest },
  })
  t.same(await currentOf(app), [second.id, oldest], 'its oldest project becomes current')
  await set({ set_current_team: later.id })
  await set({ set_current_organization: second.id })
  t.same(await currentOf(app), [second.id, later.id], 'the current organization changes nothing')
  await set({ set_current_team: first.project_id })
  t.same(await currentOf(app), own, 'its organization becomes current')
  await set({ set_current_organization: second.id, set_current_team: later.id })
  t.same(await currentOf(app), [second.id, later.id])

  const never = '99999999-9999-7999-8999-999999999999'
  for (const [body, error] of [
    [
      { set_current_organization: outsider.organization_id },
      { code: 'does_not_exist', attr: 'set_current_organization' },
    ],
    [{ set_current_organization: never }, { code: 'does_not_exist', attr: 'set_current_organization' }],
    [{ set_current_organization: 'x' }, { code: 'does_not_exist', attr: 'set_current_organization' }],
    [{ set_current_team: outsider.project_id }, { code: 'does_not_exist', attr: 'set_current_team' }],
    [{ set_current_team: 999_999_999 }, { code: 'does_not_exist', attr: 'set_current_team' }],
    [{ set_current_team: -1 }, { code: 'does_not_exist', attr: 'set_current_team' }],
    [
      { set_current_organization: first.organization_id, set_current_team: later.id },
      { code: 'invalid_input', attr: 'set_current_team' },
    ],
  ] as const) {
    t.match(await set({ first_name: 'Half', ...body }), { status: 400, body: { type: 'validation_error', ...error } })
    t.not((await call('users.me')).body.first_name, 'Half', 'a rejected update changes nothing')
  }
  t.same(await currentOf(app), [second.id, later.id])
})

onBothEngines(t, 'other requests do not change @current', async (t, app) => {
  const { call, first, stranger } = app
  const ada = await stranger('ada@example.com')
  const own: [string, number] = [ada.organization_id, ada.project_id]
  const stays = async (after: string): Promise<void> => {
    t.same(await currentOf(app, ada.key), own, after)
  }
  await stays('at first')
  const created = (await call('organizations.create', { key: ada.key, body: { name: 'Another' } })).body
  await stays('an organization is created')
  await call('projects.create', { key: ada.key, body: { name: 'x' } })
  await call('projects.create', { key: ada.key, body: { name: 'x', organization: created.id } })
  await call('organization_projects.create', {
    params: { organization_id: created.id },
    key: ada.key,
    body: { name: 'x' },
  })
  await stays('projects are created')
  const join = async (): Promise<void> => {
    const { id, signup_token } = (await call('invites.create', { body: { target_email: ada.email } })).body
    const joined = await call('signup.accept', {
      params: { invite_id: id },
      key: ada.key,
      body: { token: signup_token },
    })
    t.equal(joined.status, 201)
  }
  await join()
  await stays('an invite is accepted')
  await call('organizations.delete', { params: { id: created.id }, key: ada.key })
  await stays('another organization is deleted')

  await call('users.update', { key: ada.key, body: { set_current_organization: first.organization_id } })
  await call('members.remove', { params: { user__uuid: ada.uuid } })
  await stays('after leaving the current organization, the first one joined is current')
  await join()
  await stays('it is joined again')
})
