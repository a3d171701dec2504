/** Delivery to Snowflake: rows, repeated deliveries, failures at each step and error messages. */
import { createHash, createHmac, createPrivateKey, type Hash, type Hmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { type DeliveryJob, deliver, describeFailure } from '../../src/exports/deliver.ts'
import { createSnowflake, snowflake } from '../../src/exports/destinations/snowflake.ts'
import { accountUrl } from '../../src/exports/snowflake-session.ts'
import { uploadRequest } from '../../src/exports/snowflake-stages.ts'
import { createOutbound } from '../../src/outbound/guard.ts'
import { sql } from '../../src/sql/template.ts'
import { ENGINES, openApp, type TestApp } from '../helpers/app.ts'
import { halfInQuick, inTurn } from '../helpers/assertions/figures.ts'
import { defined } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import { openSnowflakeStub, PEER_TEXT, type SnowflakeFault } from '../helpers/peers/snowflake.ts'
import { send, stepsOf, toolsFor } from '../helpers/peers/stores.ts'
import { uuid } from '../helpers/seeds/events.ts'
import {
  deliverRepeatedly,
  FIRST_ATTEMPT,
  ingest,
  jobFor,
  listener,
  NEVER_ABORTED,
  plainEvents,
} from '../helpers/seeds/exports.ts'

t.setTimeout(180_000)
const scenario = halfInQuick(t)

const LIMITS = { connect_ms: 2_000, idle_ms: 1_000, statement_ms: 2_000, poll_ms: 5, file_bytes: 100 * 1024 * 1024 }

const jobTo = (app: TestApp, config: object, more: Partial<DeliveryJob> = {}): DeliveryJob =>
  jobFor(app, { type: 'Snowflake', config: { ...config } }, more)

const COUNT = 'select count(*)::int as n, count(distinct uuid)::int as uuids from "PUBLIC".events'

for (const engine of inTurn(ENGINES))
  t.test(`a table in Snowflake (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    await ingest(app, [
      ...plainEvents(450),
      {
        uuid: uuid(0xfffff),
        event: 'odd "name",\n\\.\n\u0001\u2028',
        distinct_id: 'ü, ""',
        properties: { $elements_chain: 'a:text="x"', $ip: '1.2.3.4', $set_once: { first: null } },
        timestamp: '1969-12-31T23:59:59.999999Z',
      },
    ])

    await t.test('contains every event with all its values', async (t) => {
      for (const stage of ['S3', 'AZURE', 'GCS'] as const) {
        const stub = await openSnowflakeStub(t)
        stub.stage = stage
        stub.encrypts = stage !== 'AZURE' || engine === 'sqlite'
        const config = stage === 'S3' ? stub.config : stub.keypair
        const { records, bytes } = await deliver(jobTo(app, config), listener(), NEVER_ABORTED)
        t.equal(records, 451)
        t.ok(bytes > 1_000)
        const create = stub.statements.find((sql) => sql.includes('."events" ('))
        t.equal(
          create,
          'create table if not exists "DB"."PUBLIC"."events" ("uuid" string,"event" string,"properties" variant,"elements" variant,"people_set" variant,"people_set_once" variant,"distinct_id" string,"team_id" integer,"ip" string,"site_url" string,"timestamp" timestamp)',
        )
        const rows = await stub.query(`select *, epoch_us(timestamp)::varchar as at from "PUBLIC".events order by uuid`)
        t.equal(rows.length, 451)
        t.match(rows[0], { uuid: uuid(1), event: 'seen', team_id: app.first.project_id, ip: null, site_url: '' })
        const first = rows[0] as Record<'properties' | 'people_set' | 'people_set_once', string>
        t.strictSame(JSON.parse(first.properties), plainEvents(1)[0]?.properties)
        t.strictSame(JSON.parse(first.people_set), { plan: 'free' })
        t.equal(first.people_set_once, null)
        t.match(rows[450], {
          event: 'odd "name",\n\\.\n\u0001\u2028',
          elements: '"a:text=\\"x\\""',
          ip: '1.2.3.4',
          at: '-1',
        })
        t.strictSame(JSON.parse(String(rows[450]?.people_set_once)), { first: null })
        t.equal(stub.files.size, 0, 'the stage is empty')
      }
    })

    await t.test('gets no duplicates from a repeat, and a retried run restores deleted rows', async (t) => {
      const stub = await openSnowflakeStub(t)
      const job = jobTo(app, stub.config)
      await deliver(job, listener(), NEVER_ABORTED)
      await deliver({ ...job, attempt: 2 }, listener(), NEVER_ABORTED)
      t.strictSame(await stub.query(COUNT), [{ n: 451, uuids: 451 }])
      await stub.query(`delete from "PUBLIC".events where event = 'paid'`)
      const retried = listener()
      await deliver({ ...job, run_id: uuid(0xabd) }, retried, NEVER_ABORTED)
      t.strictSame(await stub.query(COUNT), [{ n: 451, uuids: 451 }])
      t.ok(retried.reports.some((report) => report.kind === 'log' && report.message.startsWith('150 rows')))
      await stub.query(`drop table "PUBLIC".events`)
      await deliver(job, listener(), NEVER_ABORTED)
      t.strictSame(await stub.query(COUNT), [{ n: 451, uuids: 451 }], 'a recreated table is empty')
    })

    await t.test('gets each event once, whichever request fails, before or after it takes effect', async (t) => {
      for (const when of ['before', 'after'] as const)
        for (const fault of [{ when }, { when, status: 503 }] satisfies SnowflakeFault[]) {
          const stub = await openSnowflakeStub(t)
          const left = new Set('login use select create insert list put upload begin copy update commit'.split(' '))
          stub.fault = (step) => (left.delete(step) ? fault : undefined)
          const failures = await deliverRepeatedly(jobTo(app, stub.config))
          t.strictSame([...left], [])
          t.ok(failures.length >= 11)
          t.ok(failures.every((message) => /failed\.|temporarily unavailable|did not accept a file/.test(message)))
          t.strictSame(await stub.query(COUNT), [{ n: 451, uuids: 451 }])
          t.equal(stub.files.size, 0, 'the stage is empty')
        }
    })

    await t.test('gets each event once from two deliveries of a range at the same time', async (t) => {
      const stub = await openSnowflakeStub(t)
      const job = jobTo(app, stub.config)
      const results = await Promise.all([1, 2].map(() => deliverRepeatedly({ ...job, run_id: crypto.randomUUID() })))
      t.ok(results.flat().every((message) => /lock|cancelled/.test(message)))
      t.strictSame(await stub.query(COUNT), [{ n: 451, uuids: 451 }])
    })

    await t.test('has the columns of a query, and the ledger prevents duplicates', async (t) => {
      const stub = await openSnowflakeStub(t)
      const hogql_query = `select event as name, toInt(properties.number) as n, timestamp, toDate(timestamp) as day, toInt(properties.number) / 2 as half, toInt(properties.number) > 5 as big, [toInt(properties.number), 1] as list, properties, event as "odd ""name" from events where event = 'paid' and n < 10`
      const job = jobTo(app, { ...stub.config, table_name: 'my table' }, { hogql_query })
      await deliver(job, listener(), NEVER_ABORTED)
      const second = listener()
      await deliver({ ...job, attempt: 2 }, second, NEVER_ABORTED)
      t.ok(second.reports.some((report) => report.kind === 'log' && /already delivered/.test(report.message)))
      const rows = await stub.query('select * from "PUBLIC"."my table" order by n')
      t.equal(rows.length, 3)
      t.match(rows[2], {
        name: 'paid',
        half: 3.5,
        big: true,
        list: /\[7, ?1\]/,
        day: '2026-01-01',
        'odd "name': 'paid',
      })
      await deliver({ ...job, range_key: 'another' }, listener(), NEVER_ABORTED)
      t.equal((await stub.query('select * from "PUBLIC"."my table"')).length, 6)
    })

    await t.test('created by others is used with its types', async (t) => {
      const stub = await openSnowflakeStub(t)
      await stub.query('create table "PUBLIC".events (uuid varchar)')
      t.match(await deliverRepeatedly(jobTo(app, stub.config)), [/The table has no column "event", "properties"/])
      await stub.query('drop table "PUBLIC".events')
      await stub.query(
        'create table "PUBLIC".events (id integer, uuid varchar, event varchar, properties varchar, elements varchar, people_set varchar, people_set_once json, distinct_id varchar, team_id varchar, ip varchar, site_url varchar, timestamp timestamptz)',
      )
      t.strictSame(await deliverRepeatedly(jobTo(app, stub.config)), [])
      t.strictSame(await stub.query(COUNT), [{ n: 451, uuids: 451 }])
    })
  })

scenario('removes the files of killed attempts', async (t) => {
  const stub = await openSnowflakeStub(t)
  const run = '0195d3f0-0000-7000-8000-000000000001'
  const other = '0195d3f0-0000-7000-8000-000000000002'
  const recent = '0195d3f0-0000-7000-8000-000000000003'
  const place = (id: string): string => `workspace_admin/b/${id}/${id}/part-0.csv.gz`
  for (const id of [run, other, recent]) stub.files.set(place(id), { path: '/nowhere', modified: Date.now() })
  defined(stub.files.get(place(other))).modified -= 2 * 86_400_000
  const tools = toolsFor(t)
  const destination = createSnowflake(LIMITS)
  const receiver = await destination.open({
    ...FIRST_ATTEMPT,
    run_id: run,
    config: stub.config,
    columns: destination.columns,
    tools,
  })
  await receiver.commit()
  t.strictSame([...stub.files.keys()], [place(recent)], 'a recent file may belong to another run')
})

scenario('rows with a version replace older ones', async (t) => {
  const stub = await openSnowflakeStub(t)
  const destination = createSnowflake(LIMITS)
  const column = (name: string, kind: 'string' | 'integer' | 'json') => ({
    name,
    type: { kind },
    sql: sql``,
    usesPerson: false,
  })
  const columns = [column('distinct_id', 'string'), column('properties', 'json'), column('person_version', 'integer')]
  for (const lines of [
    ['"a","{""n"":1}","1"', '"b","{""n"":1}","3"'],
    ['"a","{""n"":2}","2"', '"a","{""n"":3}","3"', '"b","{""n"":2}","2"', '"c","{}","1"'],
  ]) {
    const receiver = await destination.open({
      ...FIRST_ATTEMPT,
      config: { ...stub.config, table_name: 'persons' },
      columns,
      merge: { key: ['distinct_id'], version: 'person_version' },
      tools: toolsFor(t),
    })
    await receiver.write({
      records: lines.length,
      text: Buffer.from(lines.map((line) => `${line}\n`).join('')),
      cursor: [1, 1],
    })
    await receiver.commit()
  }
  t.strictSame(
    await stub.query(
      `select distinct_id, properties::varchar as properties, person_version::int as v from "PUBLIC".persons order by 1`,
    ),
    [
      { distinct_id: 'a', properties: '{"n":3}', v: 3 },
      { distinct_id: 'b', properties: '{"n":1}', v: 3 },
      { distinct_id: 'c', properties: '{}', v: 1 },
    ],
  )
})

const LINE = '"u","e","{}","""""","{}","{}","d","1",,"","2026-01-01T00:00:00.000000Z"'

async function failureOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work()
  } catch (error) {
    return describeFailure(error)
  }
}

scenario('errors say what to do and contain no text of the peer', async (t) => {
  const destination = createSnowflake(LIMITS)
  const faults: [string, Partial<SnowflakeFault>, object][] = [
    ['login', { code: '390100' }, { retryable: false, message: /rejected the user/ }],
    ['login', { code: '390144' }, { retryable: false, message: /rejected the user/ }],
    ['login', { code: '390189' }, { retryable: false, message: /"role"/ }],
    ['login', { code: '390422' }, { retryable: false, message: /network policy/ }],
    ['login', { code: '399999' }, { retryable: false, message: /login \(399999\)/ }],
    ['login', { code: '<b>odd</b>' }, { retryable: false, message: /login\. Check/ }],
    ['login', { status: 403 }, { retryable: false, message: /account \(403\)/ }],
    ['login', { status: 502 }, { retryable: true, message: /temporarily/ }],
    ['use', { code: '002043', state: '02000' }, { retryable: false, message: /"warehouse"/ }],
    ['create', { code: '003001', state: '42501' }, { retryable: false, message: /CREATE TABLE/ }],
    ['put', { code: '003001', state: '42501' }, { retryable: false, message: /lacks a permission/ }],
    ['upload', { status: 403 }, { retryable: true, message: /stage of Snowflake did not accept a file \(403\)/ }],
    ['copy', { code: '100038', state: '22018' }, { retryable: false, message: /does not fit its column/ }],
    ['copy', { code: '000604', state: '57014' }, { retryable: true, message: /cancelled/ }],
    ['update', { code: '000625', state: '57014' }, { retryable: true, message: /lock/ }],
    ['commit', { code: '300002' }, { retryable: true, message: /\(300002\)/ }],
    ['commit', { code: '390111' }, { retryable: true, message: /session with Snowflake has ended/ }],
  ]
  for (const [failing, fault, expected] of faults) {
    const stub = await openSnowflakeStub(t)
    stub.fault = (step) => (step === failing ? { when: 'before', ...fault } : undefined)
    const failure = await failureOf(() => send(destination, stub.config, toolsFor(t), LINE))
    t.match(failure, expected, `${failing} ${fault.code ?? fault.status}`)
    t.notMatch(JSON.stringify(failure), PEER_TEXT)
  }
})

scenario('renews an expired session and fetches late results', async (t) => {
  const stub = await openSnowflakeStub(t)
  stub.statement_ms = 5
  stub.isLate = true
  let copies = 0
  stub.fault = (step) => {
    if (step === 'copy' && copies++ === 0) stub.expireToken()
    return undefined
  }
  t.equal(await send(createSnowflake(LIMITS), stub.config, toolsFor(t), LINE), undefined)
  t.ok(stub.steps.includes('renew'))
  t.strictSame(await stub.query(COUNT), [{ n: 1, uuids: 1 }])
})

scenario('a silent server times out, and a cancelled run ends at once', async (t) => {
  const destination = createSnowflake(LIMITS)
  for (const silent of ['login', 'upload', 'copy']) {
    const stub = await openSnowflakeStub(t)
    stub.fault = (step) => (step === silent ? { when: 'before', hangs: true } : undefined)
    t.match(await failureOf(() => send(destination, stub.config, toolsFor(t), LINE)), {
      retryable: true,
      message: 'Snowflake did not respond in time.',
    })
  }
  const stub = await openSnowflakeStub(t)
  const aborted = new AbortController()
  stub.fault = (step) => {
    if (step !== 'copy') return undefined
    aborted.abort(new Error('cancelled'))
    return { when: 'before', hangs: true }
  }
  t.match(await failureOf(() => send(destination, stub.config, toolsFor(t, { signal: aborted.signal }), LINE)), {
    message: /delivery failed/,
  })
  t.equal(stub.steps.at(-1), 'close', 'its session is closed, which rolls back')
})

scenario('every connection passes the guard, also to the stage', async (t) => {
  const stub = await openSnowflakeStub(t)
  const destination = createSnowflake(LIMITS)
  const closed = toolsFor(t, { outbound: createOutbound() })
  t.match(await failureOf(() => send(destination, stub.config, closed, LINE)), { message: /OUTBOUND_ALLOW/ })
  t.strictSame(stub.steps, [])
  const other = await openSnowflakeStub(t)
  stub.stage = 'AZURE'
  const { url } = stub
  // The stage is on another server, which is not allowed.
  stub.url = other.url
  const partly = toolsFor(t, { outbound: createOutbound({ allow: `127.0.0.1/32:${new URL(url).port}` }) })
  t.match(await failureOf(() => send(destination, stub.config, partly, LINE)), { message: /OUTBOUND_ALLOW/ })
  t.strictSame(other.steps, [])
  for (const [account, host] of [
    ['myorg-account_1', 'myorg-account-1.snowflakecomputing.com'],
    ['XY12345.eu-central-1', 'xy12345.eu-central-1.snowflakecomputing.com'],
    ['xy12345.cn-northwest-1', 'xy12345.cn-northwest-1.snowflakecomputing.cn'],
  ] as const)
    t.equal(accountUrl({ account, endpoint_url: null }).host, host)
})

scenario('the test of a destination names the step that fails', async (t) => {
  const destination = createSnowflake(LIMITS)
  const stub = await openSnowflakeStub(t)
  t.strictSame(await stepsOf(destination, stub.config, toolsFor(t)), { completed: [...destination.steps] })
  t.equal(stub.files.size, 0, 'nothing is left')
  t.strictSame(await stub.query(`select table_name from duckdb_tables()`), [])
  await stub.query('create table "PUBLIC".events (distinct_id varchar)')
  const ofPersons = await stepsOf(destination, stub.config, toolsFor(t))
  t.strictSame(ofPersons, { completed: [...destination.steps] }, 'the table of an export with other columns')
  await stub.query('drop table "PUBLIC".events')
  const failing: [string, number][] = [
    ['login', 0],
    ['use', 1],
    ['select', 2],
    ['upload', 3],
    ['copy', 4],
  ]
  for (const [step, completed] of failing) {
    stub.fault = (one) => (one === step ? { when: 'before', status: 500 } : undefined)
    const result = await stepsOf(destination, stub.config, toolsFor(t))
    t.equal(result.completed.length, completed, step)
    t.notMatch(JSON.stringify(result), PEER_TEXT)
  }
  stub.fault = () => undefined
  t.match(await stepsOf(destination, { ...stub.config, schema: 'NONE' }, toolsFor(t)), {
    failure: { message: /schema does not exist/ },
  })
})

scenario('the config is validated', async (t) => {
  const { config, keypair } = await openSnowflakeStub(t)
  snowflake.validate(config)
  snowflake.validate(keypair)
  const wrong: [string, unknown][] = [
    ['account', 'evil.example.com/'],
    ['account', 'a@b'],
    ['account', 'a:8080'],
    ['account', 'a/../b'],
    ['account', 'a#'],
    ['account', 'a..b'],
    ['account', '-a'],
    ['account', 'a b'],
    ['database', 'a"b'],
    ['schema', 'a\nb'],
    ['warehouse', "a'b"],
    ['role', 'a\\b'],
    ['table_name', 'workspace_admin_ledger'],
    ['table_name', 'x'.repeat(256)],
    ['endpoint_url', 'https://'],
  ]
  for (const [key, value] of wrong)
    t.throws(
      () => snowflake.validate({ ...config, [key]: value }),
      { code: 'invalid_input', attr: `destination__config__${key}` },
      `${key} ${value}`,
    )
  t.throws(() => snowflake.validate({ ...config, password: undefined }), {
    code: 'required',
    attr: 'destination__config__password',
  })
  t.throws(() => snowflake.validate({ ...keypair, private_key: undefined }), {
    code: 'required',
    attr: 'destination__config__private_key',
  })
  for (const more of [
    { private_key: 'secret-text' },
    { private_key_passphrase: 'wrong' },
    { private_key_passphrase: undefined },
  ])
    try {
      snowflake.validate({ ...keypair, ...more })
      t.fail('an invalid key is rejected')
    } catch (error) {
      t.match(error, { attr: 'destination__config__private_key' })
      t.notMatch(String(error), 'secret-text')
    }
})

/** The protocol has no specification, so the driver of Snowflake checks that the test server speaks it. */
scenario('the driver of Snowflake works with the same server', async (t) => {
  process.env.SNOWFLAKE_DISABLE_PLATFORM_DETECTION = 'true'
  const { default: driver } = await import('snowflake-sdk')
  driver.configure({ logLevel: 'OFF' })
  const file = join(freshFolder(t), 'part-0.csv.gz')
  writeFileSync(file, gzipSync('"1","a ""b"""\n"2",\n'))
  const stub = await openSnowflakeStub(t)
  // The only kind for which the driver sends a file as one request without TLS.
  stub.stage = 'GCS'
  const { private_key, private_key_passphrase } = stub.keypair as Required<typeof stub.keypair>
  const key = createPrivateKey({ key: private_key, passphrase: private_key_passphrase })
  const connection = driver.createConnection({
    accessUrl: stub.url,
    account: 'myorg-account',
    username: 'exporter',
    authenticator: 'SNOWFLAKE_JWT',
    privateKey: String(key.export({ format: 'pem', type: 'pkcs8' })),
  })
  await new Promise<void>((done, fail) => connection.connect((error) => (error ? fail(error) : done())))
  const execute = (sqlText: string): Promise<unknown[]> =>
    new Promise((done, fail) =>
      connection.execute({ sqlText, complete: (error, _, rows) => (error ? fail(error) : done(rows ?? [])) }),
    )
  await execute('create table if not exists "DB"."PUBLIC"."t" ("n" integer, "s" string)')
  await execute(`put 'file://${file}' '@~/folder' auto_compress = false source_compression = gzip overwrite = true`)
  t.strictSame([...stub.files.keys()], ['folder/part-0.csv.gz'])
  await execute('copy into "DB"."PUBLIC"."t" ("n","s") from (select $1,$2 from @~/folder/) file_format = (type = csv)')
  t.strictSame(await execute('select "n", "s" from "DB"."PUBLIC"."t" order by 1'), [
    { n: '1', s: 'a "b"' },
    { n: '2', s: null },
  ])
  await new Promise<void>((done) => connection.destroy(() => done()))
})

scenario('uploads to S3 have the signature that the library of AWS computes', async (t) => {
  const creds = { AWS_KEY_ID: 'AKID', AWS_SECRET_KEY: 'secret', AWS_TOKEN: 'token' }
  const stageInfo = { locationType: 'S3', location: 'bucket/stages/a/', region: 'eu-central-1', creds }
  const now = new Date('2026-01-02T03:04:05Z')
  const file = { name: 'part-0.csv.gz', size: 3, digest: 'ZGlnZXN0', open: () => Readable.from(['abc']) }
  const { url, headers } = uploadRequest({ stageInfo }, file, 'https:', now)
  t.equal(url, 'https://bucket.s3.eu-central-1.amazonaws.com/stages/a/part-0.csv.gz')
  const { authorization, 'content-length': _, ...unsigned } = headers!
  class Sha256 {
    hash: Hash | Hmac
    constructor(key?: any) {
      this.hash = key ? createHmac('sha256', key) : createHash('sha256')
    }
    update(data: any): void {
      this.hash.update(data)
    }
    async digest(): Promise<Uint8Array> {
      return this.hash.digest()
    }
    reset(): void {}
  }
  const { SignatureV4 } = await import('@smithy/signature-v4')
  const signer = new SignatureV4({
    credentials: { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: 'token' },
    region: 'eu-central-1',
    service: 's3',
    sha256: Sha256,
    uriEscapePath: false,
  })
  const { hostname, pathname } = new URL(url)
  const signed = await signer.sign(
    { method: 'PUT', protocol: 'https:', hostname, path: pathname, headers: unsigned },
    { signingDate: now },
  )
  t.equal(authorization, signed.headers.authorization)
})
