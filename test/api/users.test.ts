import t from 'tap'
import { onBothEngines, type TestApp } from '../helpers/app.ts'

const ME = '/api/users/@me/'

const currentOf = async ({ send }: TestApp, key?: string): Promise<[string, number]> => {
  const options = key === undefined ? {} : { key }
  const { organization, team } = (await send('GET', ME, options)).body
  const named = [await send('GET', '/api/organizations/@current/', options)]
  named.push(await send('GET', '/api/projects/@current/', options))
  t.same(
    [organization?.id, team?.id],
    named.map(({ body }) => body.id),
    'users/@me says what @current means',
  )
  return [organization?.id, team?.id]
}

onBothEngines(t, 'the caller changes their name', async (t, { send, key, first }) => {
  const before = (await send('GET', ME)).body
  const changed = await send('PATCH', ME, { body: { first_name: ' Ada ', last_name: 'Lovelace' } })
  t.strictSame(changed.body, { ...before, first_name: 'Ada', last_name: 'Lovelace' })
  t.strictSame((await send('GET', ME)).body, changed.body)
  const members = `/api/organizations/${first.organization_id}/members/`
  t.equal((await send('GET', `${members}?search=ada%20love`)).body.count, 1, 'and is found by it')
  t.equal((await send('GET', `${members}?search=Owner%20`)).body.count, 0)
  t.equal((await send('PATCH', ME, { body: { last_name: '' } })).body.last_name, '')
  const ignored = { id: 7, uuid: 'x', email: 'x@example.com', is_email_verified: true, organization: null, team: null }
  t.match((await send('PATCH', ME, { body: ignored })).body, { id: before.id, email: before.email })

  for (const [body, error] of [
    [{ first_name: null }, { code: 'null', attr: 'first_name' }],
    [{ first_name: 'x'.repeat(151) }, { code: 'max_length', attr: 'first_name' }],
    [{ last_name: 5 }, { code: 'invalid_input', attr: 'last_name' }],
    [{ set_current_team: '1' }, { code: 'invalid_input', attr: 'set_current_team' }],
    [{ set_current_organization: null }, { code: 'null', attr: 'set_current_organization' }],
  ] as const)
    t.match(await send('PATCH', ME, { body }), { status: 400, body: { type: 'validation_error', ...error } })

  const reader = await key({ scopes: ['organization:write', 'query:read'] })
  t.equal((await send('GET', ME, { key: reader })).status, 200, 'any key reads')
  t.equal((await send('PATCH', ME, { key: reader, body: { first_name: 'x' } })).status, 403, 'only a full one writes')
  const limited = await key({ reach: { organizations: [first.organization_id], projects: null } })
  t.match(await send('PATCH', ME, { key: limited, body: { first_name: 'x' } }), {
    status: 403,
    body: { code: 'permission_denied' },
  })
})

onBothEngines(t, 'the caller chooses what @current means', async (t, app) => {
  const { send, first, stranger } = app
  const outsider = await stranger('outsider@example.com')
  const second = (await send('POST', '/api/organizations/', { body: { name: 'Second' } })).body
  const later = (await send('POST', `/api/organizations/${second.id}/projects/`, { body: { name: 'Later' } })).body
  const own: [string, number] = [first.organization_id, first.project_id]
  const oldest: number = second.teams[0].id
  const set = (body: object) => send('PATCH', ME, { body })

  t.match((await set({ set_current_organization: second.id })).body, {
    organization: { id: second.id },
    team: { id: oldest },
  })
  t.same(await currentOf(app), [second.id, oldest], 'its oldest project follows')
  await set({ set_current_team: later.id })
  await set({ set_current_organization: second.id })
  t.same(await currentOf(app), [second.id, later.id], 'the present organization changes nothing')
  await set({ set_current_team: first.project_id })
  t.same(await currentOf(app), own, 'its organization follows')
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
    t.not((await send('GET', ME)).body.first_name, 'Half', 'whole or not at all')
  }
  t.same(await currentOf(app), [second.id, later.id])
})

onBothEngines(t, 'nothing else moves @current', async (t, app) => {
  const { send, first, stranger } = app
  const ada = await stranger('ada@example.com')
  const own: [string, number] = [ada.organization_id, ada.project_id]
  const stays = async (what: string): Promise<void> => {
    t.same(await currentOf(app, ada.key), own, what)
  }
  await stays('at first')
  const made = (await send('POST', '/api/organizations/', { key: ada.key, body: { name: 'Another' } })).body
  await stays('an organization is made')
  await send('POST', '/api/projects/', { key: ada.key, body: { name: 'x' } })
  await send('POST', '/api/projects/', { key: ada.key, body: { name: 'x', organization: made.id } })
  await send('POST', `/api/organizations/${made.id}/projects/`, { key: ada.key, body: { name: 'x' } })
  await stays('projects are made')
  const invites = `/api/organizations/${first.organization_id}/invites/`
  const join = async (): Promise<void> => {
    const { id, signup_token } = (await send('POST', invites, { body: { target_email: ada.email } })).body
    const joined = await send('POST', `/api/signup/${id}/`, { key: ada.key, body: { token: signup_token } })
    t.equal(joined.status, 201)
  }
  await join()
  await stays('an invite is accepted')
  await send('DELETE', `/api/organizations/${made.id}/`, { key: ada.key })
  await stays('another organization is deleted')

  await send('PATCH', ME, { key: ada.key, body: { set_current_organization: first.organization_id } })
  await send('DELETE', `/api/organizations/${first.organization_id}/members/${ada.uuid}/`)
  await stays('the current organization is left: the one joined first is current')
  await join()
  await stays('it is joined again')
})
