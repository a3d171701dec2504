/** Bad input is told so and changes nothing. What is made at random from the contract is in test/contract/fuzz.test.ts. */
import t from 'tap'
<<<<<<< HEAD
import { onBothEngines } from '../helpers/app.ts'

=======
import { operations } from '../../src/contract/table.ts'
import { onBothEngines, openApp } from '../helpers/app.ts'
import { figure, PROVE } from '../helpers/figures.ts'

const RUNS = PROVE ? 20_000 : 600
const SEED = 20260101
>>>>>>> c017e36 (Every suite that counts tells its figures, and docs/reliability.md is written from them)
const ORGANIZATIONS = '/api/organizations/'
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

onBothEngines(t, 'bodies that are no bodies', async (t, { send }) => {
  const json = 'application/json'
  const utf8 = (text: string): Buffer => Buffer.from(text)
  const cases: [name: string, type: string | undefined, payload: string | Buffer, status: number, code?: string][] = [
    ['half JSON', json, '{"name": "x"', 400, 'parse_error'],
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
    ['half a surrogate pair', json, '{"name": "a\\ud800b"}', 201],
    ['a key twice: the last counts', json, '{"name": 5, "name": "last"}', 201],
    ['__proto__', json, '{"name": "x", "__proto__": {"enforce_2fa": true}}', 400, 'parse_error'],
    ['constructor.prototype', json, '{"name": "x", "constructor": {"prototype": {}}}', 400, 'parse_error'],
    ['deep', json, `{"name": "x", "a": ${nested(60)}}`, 201],
    ['too deep', json, `{"name": "x", "a": ${nested(65)}}`, 400, 'invalid_input'],
    ['bottomless', json, `{"name": "x", "a": ${nested(400_000)}}`, 400, 'invalid_input'],
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
  let made = 1
  for (const [name, type, payload, status, code] of cases) {
    const answer = await send('POST', ORGANIZATIONS, { raw: { ...(type && { type }), payload } })
    t.equal(answer.status, status, name)
    if (code) t.equal(answer.body.code, code, name)
    else made++
  }
  t.equal((await send('GET', ORGANIZATIONS)).body.count, made, 'and what was refused made nothing')
})

onBothEngines(t, 'addresses that are no addresses', async (t, { send, first }) => {
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
    const answer = await send('GET', url)
    t.equal(answer.status, status, url.slice(0, 60))
    if (status >= 400) t.strictSame(Object.keys(answer.body), ['type', 'code', 'detail', 'attr'])
  }
})
<<<<<<< HEAD
=======

t.test('whatever is sent to whatever operation, no answer is a 5xx and every one is declared', async (t) => {
  for (const engine of ['sqlite', 'postgres'] as const)
    t.test(engine, async (t) => {
      const app = await openApp(t, engine)
      const text = fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string(),
        fc.constantFrom('@current', '@me', '0', '-1', '1e9', '%00', "'--", '\ud800', '__proto__'),
      )
      const value = fc.oneof(
        fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }),
        text,
        fc.integer(),
        fc.double(),
        fc.constant(null),
      )
      const request = fc.record({
        operation: fc.constantFrom(...operations.filter(({ id }) => id !== 'service.docs_script')),
        own: fc.boolean(),
        id: text,
        query: fc.dictionary(
          fc.constantFrom('limit', 'offset', 'cursor', 'format', 'token', 'after', 'properties', 'x'),
          text,
          { maxKeys: 3 },
        ),
        body: fc.option(
          fc.dictionary(
            fc.constantFrom(
              'name',
              'label',
              'scopes',
              'enforce_2fa',
              'organization',
              'expires_at',
              'event_retention_days',
              'scoped_teams',
              'scoped_organizations',
              'destination',
            ),
            value,
            { maxKeys: 4 },
          ),
          { nil: undefined },
        ),
      })
      await fc.assert(
        fc.asyncProperty(request, async ({ operation, own, id, query, body }) => {
          let place = 0
          const path = operation.path.replace(/\{\w+\}/g, () =>
            place++ === 0 && own ? '@current' : encodeURIComponent(id.toWellFormed()) || 'x',
          )
          const search = new URLSearchParams(
            Object.entries(query).map(([name, sent]): [string, string] => [name, sent.toWellFormed()]),
          )
          const answer = await app.send(operation.method, `${path}?${search}`, body && { body })
          if (answer.status >= 500 && answer.status !== 501)
            throw new Error(`${operation.id} answered ${answer.status}: ${answer.text}`)
        }),
        { seed: SEED, numRuns: RUNS },
      )
      t.pass()
      figure(t, { area: 'Hostile requests', count: RUNS, of: 'requests', result: 'no 5xx', seed: SEED })
    })
})
>>>>>>> c017e36 (Every suite that counts tells its figures, and docs/reliability.md is written from them)
