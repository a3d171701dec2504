/** Invalid input is rejected and changes nothing. test/contract/fuzz.test.ts has random input. */
import t from 'tap'
import { onBothEngines } from '../helpers/app.ts'

const ORGANIZATIONS = '/api/organizations/'
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

onBothEngines(t, 'rejects malformed bodies without side effects', async (t, { send }) => {
  const json = 'application/json'
  const utf8 = (text: string): Buffer => Buffer.from(text)
  const cases: [name: string, type: string | undefined, payload: string | Buffer, status: number, code?: string][] = [
    ['incomplete JSON', json, '{"name": "x"', 400, 'parse_error'],
    ['trailing comma', json, '{"name": "x",}', 400, 'parse_error'],
    ['two values', json, '{"name": "x"} {}', 400, 'parse_error'],
    ['NaN', json, '{"name": NaN}', 400, 'parse_error'],
    ['a byte order mark', json, '\ufeff{"name": "x"}', 201],
    [
      'invalid UTF-8',
      json,
      Buffer.concat([utf8('{"name": "'), Buffer.from([0xff, 0xfe]), utf8('"}')]),
      400,
      'parse_error',
    ],
    [
      'an overlong NUL',
      json,
      Buffer.concat([utf8('{"name": "'), Buffer.from([0xc0, 0x80]), utf8('"}')]),
      400,
      'parse_error',
    ],
    ['UTF-16', json, Buffer.from('{"name": "x"}', 'utf16le'), 400, 'parse_error'],
    ['a NUL escape', json, '{"name": "a\\u0000b"}', 400, 'null_characters_not_allowed'],
    ['a NUL in a key', json, '{"name": "x", "a\\u0000": 1}', 400, 'null_characters_not_allowed'],
    ['a lone surrogate', json, '{"name": "a\\ud800b"}', 201],
    ['a duplicate key: the last value is used', json, '{"name": 5, "name": "last"}', 201],
    ['__proto__', json, '{"name": "x", "__proto__": {"enforce_2fa": true}}', 400, 'parse_error'],
    ['constructor.prototype', json, '{"name": "x", "constructor": {"prototype": {}}}', 400, 'parse_error'],
    ['deep', json, `{"name": "x", "a": ${nested(60)}}`, 201],
    ['nested too deeply', json, `{"name": "x", "a": ${nested(65)}}`, 400, 'invalid_input'],
    ['nested extremely deeply', json, `{"name": "x", "a": ${nested(400_000)}}`, 400, 'invalid_input'],
    ['many values', json, `{"name": "x", "a": [${'1,'.repeat(19_996)}1]}`, 201],
    ['too many values', json, `{"name": "x", "a": [${'1,'.repeat(19_997)}1]}`, 400, 'invalid_input'],
    [
      'many objects in incomplete JSON',
      json,
      `{"name": ${'[{},'.repeat(50)}${'{},'.repeat(300_000)}`,
      400,
      'invalid_input',
    ],
    ['a huge number', json, '{"name": 1e400}', 400, 'invalid_input'],
    ['a huge integer', json, `{"name": ${'9'.repeat(400)}}`, 400, 'invalid_input'],
    ['a megabyte', json, `{"name": "x", "a": "${'x'.repeat(1024 * 1024)}"}`, 413, 'request_too_large'],
    ['ten megabytes', json, Buffer.alloc(10 * 1024 * 1024, 32), 413, 'request_too_large'],
    ['plain text', 'text/plain', '{"name": "x"}', 415, 'unsupported_media_type'],
    ['a form', 'application/x-www-form-urlencoded', 'name=x', 415, 'unsupported_media_type'],
    ['multipart', 'multipart/form-data; boundary=x', '--x--', 415, 'unsupported_media_type'],
    ['XML', 'application/xml', '<name/>', 415, 'unsupported_media_type'],
    ['a broken content type', 'application/', '{"name": "x"}', 415, 'unsupported_media_type'],
    ['JSON with a charset', 'application/json; charset=utf-8', '{"name": "x"}', 201],
    ['JSON in capitals', 'Application/JSON', '{"name": "x"}', 201],
  ]
  let created = 1
  for (const [name, type, payload, status, code] of cases) {
    const response = await send('POST', ORGANIZATIONS, { raw: { ...(type && { type }), payload } })
    t.equal(response.status, status, name)
    if (code) t.equal(response.error?.code, code, name)
    else created++
  }
  t.equal((await send('GET', ORGANIZATIONS)).body.count, created, 'rejected requests create nothing')
})

onBothEngines(t, 'rejects malformed URLs', async (t, { send, first }) => {
  for (const [url, status] of [
    ['/api/organizations/%', 404],
    ['/api/organizations/%ZZ/', 404],
    ['/api/organizations/%c0%80/', 404],
    ['/api/organizations/%00/', 404],
    [`/api/organizations/${'x'.repeat(5000)}/`, 404],
    ['/api/organizations/..%2f..%2fetc%2fpasswd/', 404],
    [`/api//organizations/${first.organization_id}/`, 404],
    [`/API/organizations/${first.organization_id}/`, 404],
    ['/api/organizations/?limit=%00', 400],
    ['/api/organizations/?x=%00', 400],
    ['/health/ready?x=%00', 200],
    ['/api/organizations/?limit=1e400', 400],
    ['/api/organizations/?offset=Infinity', 400],
    ['/api/organizations/?__proto__=1&constructor=2', 200],
    ['/api/organizations/?limit[]=5', 200],
    [`/api/organizations/?${'a=1&'.repeat(2000)}`, 200],
    ['/', 404],
    ['/api', 404],
    ['//', 404],
  ] as const) {
    const response = await send('GET', url)
    t.equal(response.status, status, url.slice(0, 60))
    if (status >= 400) t.strictSame(Object.keys(response.body), ['type', 'code', 'detail', 'attr'])
  }
})

onBothEngines(t, 'rejects long texts with the name of the field and a short error', async (t, { send, first }) => {
  const project = `/api/projects/${first.project_id}` as const
  const export_ = (config: object, name = 'long') => ({ name, interval: 'hour', destination: { type: 'NoOp', config } })
  const plugins = `/api/organizations/${first.organization_id}/pipeline_destinations/` as const
  const cases: [path: string, body: object, attr: string][] = [
    [`${project}/batch_exports/`, export_({}, 'x'.repeat(401)), 'name'],
    [`${project}/batch_exports/`, { ...export_({}), hogql_query: 'x'.repeat(10_001) }, 'hogql_query'],
    [`${project}/batch_exports/`, export_({ arg: 'x'.repeat(1_025) }), 'destination__config__arg'],

    [plugins, { name: 'long', description: 'x'.repeat(4_001) }, 'description'],
    [plugins, { name: 'long', config_schema: [{ key: 'a', hint: 'x'.repeat(32_768) }] }, 'config_schema'],
    [plugins, { name: 'long', metrics: { a: 'x'.repeat(4_096) } }, 'metrics'],
    [plugins, { name: 'long', public_jobs: { a: 'x'.repeat(4_096) } }, 'public_jobs'],
  ]
  for (const [path, body, attr] of cases) {
    const { status, error } = await send('POST', path, { body })
    t.same([status, error?.code, error?.attr], [400, 'max_length', attr])
  }
  const manifest = JSON.stringify({ name: 'long', config: [{ key: 'a', hint: 'x'.repeat(32_768) }] })
  const { status, error } = await send('POST', plugins, { body: { source: { 'plugin.json': manifest } } })
  t.same([status, error?.attr], [400, 'source__plugin.json'])

  const unknown = await send('POST', `${project}/batch_exports/`, { body: export_({ ['k'.repeat(50_000)]: 1 }) })
  t.same([unknown.status, unknown.error?.code], [400, 'invalid_input'])
  t.ok(unknown.text.length < 2_000, `the error has ${unknown.text.length} characters`)
})

onBothEngines(t, 'rejects ids beyond the integers of the database', async (t, { send, first }) => {
  const organization = `/api/organizations/${first.organization_id}`
  const project = `/api/projects/${first.project_id}`
  const destination = { type: 'NoOp', config: {} }
  const export_ = { name: 'far', interval: 'hour', destination }
  for (const id of [1e300, -1e300, 1e19, 2 ** 63, 2 ** 53, 2 ** 31, -1, 0]) {
    const cases: [method: 'POST' | 'PATCH', path: string, body: object][] = [
      ['POST', `${organization}/batch_exports/`, { ...export_, team_id: id }],
      ['POST', `${organization}/alerts/`, { name: 'far', triggers: ['failure'], channel: 'email', team_id: id }],
      ['POST', `${project}/batch_exports/`, { ...export_, destination: { ...destination, integration_id: id } }],
      ['POST', `${project}/plugin_configs/`, { plugin: id, enabled: false, order: 1 }],
      ['POST', '/api/personal_api_keys/', { label: 'far', scopes: ['*'], scoped_teams: [id] }],
      ['PATCH', '/api/users/@me/', { set_current_team: id }],
      ['PATCH', `${project}/`, { event_retention_days: id }],
    ]
    for (const [method, path, body] of cases) {
      const { status, error } = await send(method, path, { body })
      t.same([status, typeof error?.attr], [400, 'string'], `${path} ${id}`)
    }
  }
})
