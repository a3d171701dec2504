/** The PostHog dialect: the same operations, with responses that match the overlay. */
import t from 'tap'
import { findChangedRequests } from '../../scripts/contract-rules.ts'
import type { components } from '../../src/contract/openapi.posthog.ts'
import { contractOf } from '../../src/contract/table.ts'
import { onBothEngines } from '../helpers/app.ts'
import { defined } from '../helpers/assertions/items.ts'
import type { Json } from '../helpers/json.ts'
import { command, ended, serveArguments, startProcess } from '../helpers/programs/process.ts'
import { insertEvents, insertPerson, NEW_YEAR, uuid } from '../helpers/seeds/events.ts'

type PostHog = components['schemas']

const EVENTS = '/api/projects/@current/events/'

onBothEngines(
  t,
  'organizations and events have numbers, objects and lists, as the overlay declares',
  async (t, { follow, send, first, member, deps: { events } }) => {
    const { contract } = contractOf('posthog')
    t.strictSame((await send('GET', '/openapi.json', { key: null })).body, contract)
    t.equal(contract.components.schemas.Organization?.properties?.member_count?.type, 'integer')

    await member('second@example.com', 1)
    const own = { id: first.organization_id, member_count: 2, metadata: { instance_tag: 'none' } }
    const read = await send('GET', `/api/organizations/${first.organization_id}/`)
    t.match(read, { status: 200, body: own })
    t.match(await send('GET', '/api/organizations/'), { status: 200, body: { count: 1, results: [own] } })
    const created = await send('POST', '/api/organizations/', { body: { name: 'Another' } })
    t.match(created, { status: 201, body: { name: 'Another', member_count: 1, metadata: { instance_tag: 'none' } } })
    // Clients may send back read-only fields in either dialect; they are ignored.
    const url = `/api/organizations/${created.body.id}/` as const
    t.match(await send('PATCH', url, { body: { ...created.body, name: 'Renamed' } }), {
      status: 200,
      body: { name: 'Renamed', member_count: 1, metadata: { instance_tag: 'none' } },
    })
    t.match(await send('PATCH', url, { body: { name: 5 } }), { status: 400, body: { attr: 'name' } })
    t.equal((await send('DELETE', url)).status, 204)

    await insertPerson(events, 1, {
      id: uuid(77),
      distinct_ids: ['ada'],
      is_identified: true,
      properties: { email: 'ada@example.com', name: null, plan: 'hidden' },
    })
    const properties = { $browser: 'Firefox', text: 'ü "q" \n</script>', list: [1, null], __proto: { deep: {} } }
    await insertEvents(events, 1, [
      { uuid: uuid(1), event: 'clicked', distinct_id: 'ada', properties, elements_chain: 'button:text="Save"' },
      { uuid: uuid(2), event: 'o"dd', timestamp: NEW_YEAR - 2 },
    ])
    const list = await send('GET', EVENTS)
    t.equal(list.status, 200)
    t.equal(list.headers['content-type'], 'application/json; charset=utf-8')
    const [clicked, odd] = list.body.results as unknown as [PostHog['Event'], PostHog['Event']]
    t.strictSame(clicked.properties, properties)
    t.strictSame(clicked.person, {
      is_identified: true,
      distinct_ids: ['ada'],
      properties: { email: 'ada@example.com', name: null },
    })
    t.match(clicked.elements, [{ tag_name: 'button', text: 'Save', order: 0 }])
    t.match(clicked, { id: uuid(1), event: 'clicked', distinct_id: 'ada', elements_chain: 'button:text="Save"' })
    t.strictSame(odd, {
      id: uuid(2),
      distinct_id: 'somebody',
      properties: {},
      event: 'o"dd',
      timestamp: '2025-12-31T23:59:59.999998Z',
      person: null,
      elements: [],
      elements_chain: '',
    })
    t.strictSame((await send('GET', `${EVENTS}${uuid(1)}/`)).body, clicked)
    t.equal((await send('GET', `${EVENTS}${uuid(1)}/?include_person=false`)).body.person, null)

    const page = await send('GET', `${EVENTS}?limit=1`)
    t.strictSame(page.body.results, [clicked])
    t.strictSame((await follow(page)).body, { results: [odd], next: null })

    const values = await send('GET', `${EVENTS}values/`)
    t.match(values, {
      status: 200,
      body: {
        event: ['clicked', 'o"dd'],
        properties: [properties, {}],
        person: [clicked.person, null],
        elements: [clicked.elements, []],
      },
    })
    t.strictSame((await send('GET', `${EVENTS}values/?key=$browser`)).body, [{ name: 'Firefox', count: 1 }])
    t.strictSame((await send('GET', `${EVENTS}?select=["event"]`)).body.results, [['clicked'], ['o"dd']])
    const table = await send('GET', `${EVENTS}?format=csv`)
    t.match(table.text, '"{""$browser"":""Firefox""', 'CSV cells are text in both dialects')
  },
  { environment: { DIALECT: 'posthog' } },
)

t.test('rejects a dialect that changes requests', async (t) => {
  const { contract } = contractOf('standard')
  const changed = (change: (copy: Json) => void): string[] => {
    const copy = structuredClone(contract)
    change(copy)
    return findChangedRequests(contract, copy)
  }
  t.strictSame(findChangedRequests(contract, contractOf('posthog').contract), [])
  t.match(
    changed((copy) => delete copy.paths['/api/organizations/']),
    [/paths and security/],
  )
  t.match(
    changed((copy) => {
      copy.components.parameters.limit.schema.maximum = 5
    }),
    [/parameters and credentials/],
  )
  t.match(
    changed((copy) => {
      copy.components.schemas.S3Config.required = []
    }),
    [/^S3Config is part of a request/],
  )
})

t.test('the CLI can start and call a server with the dialect', async (t) => {
  const program = serveArguments('--ephemeral', '--dialect', 'posthog')
  const { url, api_key } = await startProcess(t, {}, program)
  const environment = { WORKSPACE_URL: url, WORKSPACE_KEY: defined(api_key) }
  const retrieved = await ended(command(['organizations', 'retrieve', '@current', '--json'], environment))
  t.match(JSON.parse(retrieved.stdout), { member_count: 1, metadata: { instance_tag: 'none' } })
  const shown = await ended(command(['organizations', 'retrieve', '@current'], environment))
  t.match(shown.stdout, /member_count: +1\n/)
  t.match(shown.stdout, /^metadata:\n {2}instance_tag: none$/m)
  const wrong = await ended(command(['serve', '--dialect', 'klingon'], {}))
  t.equal(wrong.code, 2)
  t.match(wrong.stderr, /must be one of: standard, posthog/)
})
