/** Delivery to a table in Amazon Redshift: rows, repeated deliveries, files in the bucket and error messages. */
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import t, { type Test } from 'tap'
import { CELL } from '../../src/events/cells.ts'
import { EVENT_COLUMNS } from '../../src/events/extract.ts'
import type { Column } from '../../src/events/lines.ts'
import { type DeliveryJob, deliver } from '../../src/exports/deliver.ts'
import type { Delivery, Tools } from '../../src/exports/destination.ts'
import { createRedshift, redshift } from '../../src/exports/destinations/redshift.ts'
import { createOutbound } from '../../src/outbound/guard.ts'
import { ENGINES, openApp, type TestApp } from '../helpers/app.ts'
import { halfInQuick, inTurn } from '../helpers/assertions/figures.ts'
import { only } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import { KEYS, openRedshift, ROLE } from '../helpers/peers/redshift.ts'
import { stepsOf, toolsFor } from '../helpers/peers/stores.ts'
import type { Schemas } from '../helpers/response-bodies.ts'
import { uuid } from '../helpers/seeds/events.ts'
import {
  FIRST_ATTEMPT,
  failureOf,
  ingest,
  jobFor,
  listener,
  logsOf,
  NEVER_ABORTED,
  plainEvents,
} from '../helpers/seeds/exports.ts'
import {
  assertAllEvents,
  type Cells,
  columnsOf,
  type DeliveredEvent,
  testLedger,
  testVersions,
} from './table-scenarios.ts'

const scenario = halfInQuick(t)

const S3rver = createRequire(import.meta.url)('s3rver')

/** An S3 server. Returns its endpoint and the keys in its bucket. */
async function openStore(t: Test) {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: freshFolder(t),
    configureBuckets: [{ name: 'staging' }],
  })
  const endpoint = `http://127.0.0.1:${(await server.run()).port}`
  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
  const client = new S3Client({ region: 'us-east-1', endpoint, forcePathStyle: true, credentials })
  t.teardown(() => {
    client.destroy()
    return server.close()
  })
  return {
    endpoint,
    keys: async (): Promise<string[]> =>
      ((await client.send(new ListObjectsV2Command({ Bucket: 'staging' }))).Contents ?? []).map(({ Key }) =>
        String(Key),
      ),
    put: (Key: string) => client.send(new PutObjectCommand({ Bucket: 'staging', Key, Body: 'x' })),
  }
}

const COPY = {
  mode: 'COPY',
  copy_inputs: {
    s3_bucket: 'staging',
    region_name: 'us-east-1',
    s3_key_prefix: '/some/prefix/',
    authorization: ROLE,
    bucket_credentials: KEYS,
  },
}

const jobTo = (app: TestApp, config: object, more: Partial<DeliveryJob> = {}): DeliveryJob =>
  jobFor(app, { type: 'Redshift', config: { ...config } }, more)

for (const engine of inTurn(ENGINES))
  for (const mode of ['INSERT', 'COPY'])
    t.test(`a Redshift table, filled by ${mode} (${engine})`, async (t) => {
      const app = await openApp(t, engine)
      app.advance(3_600_000)
      await ingest(app, [
        ...plainEvents(450),
        {
          uuid: uuid(0xfffff),
          event: 'odd "name",\n\\.\n\u0001\u0002\u0003\u0005e\u2028\r',
          distinct_id: "ü, '' \\N",
          properties: {
            $elements_chain: 'a:text="x"',
            deep: { list: [1, 2.5, null, true] },
            $ip: '1.2.3.4',
            $set_once: { first: '\\N' },
          },
          timestamp: '1969-12-31T23:59:59.999999Z',
        },
      ])
      const store = await openStore(t)
      const copying = mode === 'COPY' ? COPY : {}
      const toStore = { s3_endpoint: store.endpoint }

      await t.test('contains every event with all its values', async (t) => {
        for (const properties_data_type of ['varchar', 'super']) {
          const { config, query } = await openRedshift(t, store.endpoint)
          const job = jobTo(app, config({ ...copying, properties_data_type }), toStore)
          const { records, bytes } = await deliver(job, listener(), NEVER_ABORTED)
          t.equal(records, 451)
          t.ok(bytes > 10_000)
          const json = properties_data_type === 'super' ? 'super' : 'character varying(65535)'
          t.strictSame(await columnsOf(query), [
            'uuid character varying(200)',
            'event character varying(200)',
            `properties ${json}`,
            'elements character varying(65535)',
            `set ${json}`,
            `set_once ${json}`,
            'distinct_id character varying(200)',
            'team_id integer',
            'ip character varying(200)',
            'site_url character varying(200)',
            'timestamp timestamp with time zone',
          ])
          const rows = await query<DeliveredEvent>(
            'select *, properties::jsonb as properties, timestamp::text as at from events order by uuid',
          )
          await assertAllEvents(t, app, rows)
          t.match(rows[0], { team_id: app.first.project_id, set_once: null, ip: null, site_url: '' })
          t.match(rows[450], { set: null, ip: '1.2.3.4' })
          t.match(rows[450]?.at, /:59\.999999\+/)
          t.same(await store.keys(), [], 'no file is left in the bucket')
        }
      })

      await t.test('is delivered once, and the ledger prevents duplicates', async (t) => {
        const { config, query } = await openRedshift(t, store.endpoint)
        const job = jobTo(app, config(copying), toStore)
        await Promise.all(
          [1, 2, 3].map((attempt) => deliver({ ...job, attempt }, listener(), NEVER_ABORTED).catch(() => 0)),
        )
        t.strictSame(await query('select count(distinct uuid)::int as uuids from events'), [{ uuids: 451 }])
        await testLedger(t, query, job, 'events', 451)
      })

      await t.test('has the columns of a query', async (t) => {
        const { config, query } = await openRedshift(t, store.endpoint)
        const hogql_query = `select event as name, event as "Odd ""name", toInt(properties.number) as n, timestamp, toDate(timestamp) as day, toInt(properties.number) / 2 as half, toInt(properties.number) > 5 as big, [toInt(properties.number), 1] as list, person.properties as who, properties.missing as none, uuid from events where event = 'paid' and n < 10`
        const settings = { table_name: 'paid', properties_data_type: 'super', ...copying }
        await deliver(jobTo(app, config(settings), { ...toStore, hogql_query }), listener(), NEVER_ABORTED)
        const rows = await query('select *, day::text as day from paid order by n')
        t.strictSame(
          rows.map(({ n }) => Number(n)),
          [1, 4, 7],
        )
        t.match(rows[2], {
          name: 'paid',
          'Odd "name': 'paid',
          timestamp: new Date('2026-01-01T00:00:07Z'),
          half: 3.5,
          big: true,
          list: [7, 1],
          who: { plan: 'free' },
          none: null,
          uuid: uuid(8),
          day: '2026-01-01',
        })
      })
    })

scenario('values that are too long are truncated at a character, with a warning', async (t) => {
  const app = await openApp(t, 'sqlite')
  const store = await openStore(t)
  const long = { event: 'é'.repeat(150), distinct_id: 'x'.repeat(150), properties: { text: '€'.repeat(30_000) } }
  await ingest(app, [long])
  for (const copying of [{}, COPY]) {
    const { config, query } = await openRedshift(t, store.endpoint)
    const logs = await logsOf(jobTo(app, config(copying), { s3_endpoint: store.endpoint }))
    t.match(logs, ['2 values were truncated to the length of their columns.'])
    const row = only(
      await query<{ event: string; properties: number }>(
        'select event, octet_length(properties) as properties from events',
      ),
    )
    t.equal(row.event, 'é'.repeat(100))
    t.ok(row.properties > 65_532 && row.properties <= 65_535)
  }
})

const KEY: Column = { ...EVENT_COLUMNS.distinct_id, name: 'id' }
const OTHER: Column = { ...EVENT_COLUMNS.team_id, name: 'Team' }
const VERSION: Column = { ...EVENT_COLUMNS.team_id, name: 'version' }
const NAME: Column = { ...EVENT_COLUMNS.event, name: 'name' }

const deliveryOf = (
  config: Schemas['RedshiftConfig'],
  tools: Tools,
  more: Partial<Delivery<Schemas['RedshiftConfig']>> = {},
): Delivery<Schemas['RedshiftConfig']> => ({
  ...FIRST_ATTEMPT,
  config,
  columns: redshift.columns,
  tools,
  ...more,
})

const pageOf = (rows: Cells[]) => ({
  records: rows.length,
  text: Buffer.from(rows.map((row) => `${row.map((cell) => `${cell}${CELL.delimiter}`).join('')}\n`).join('')),
  cursor: [1, 0] as [number, number],
})

scenario('rows that replace earlier ones keep the highest version', async (t) => {
  const store = await openStore(t)
  for (const copying of [{}, COPY]) {
    const { config, query } = await openRedshift(t, store.endpoint)
    const columns = [KEY, OTHER, VERSION, NAME]
    const merge = { key: ['id', 'Team'], version: 'version' }
    const put = async (rows: Cells[]): Promise<void> => {
      const tools = toolsFor(t, { s3_endpoint: store.endpoint })
      const settings = config({ table_name: 'persons', ...copying })
      const receiver = await redshift.open(deliveryOf(settings, tools, { columns, merge }))
      await receiver.write(pageOf(rows))
      await receiver.commit()
    }
    await testVersions(t, put, () => query('select id, "Team", version, name from persons order by id, "Team"'))
  }
})

scenario('files in the bucket', async (t) => {
  const app = await openApp(t, 'sqlite')
  await ingest(app, plainEvents(3))
  const store = await openStore(t)
  const { config, query, copies } = await openRedshift(t, store.endpoint)
  const job = jobTo(app, config(COPY), { s3_endpoint: store.endpoint })

  await t.test('of killed attempts are deleted by the next one', async (t) => {
    const put = toolsFor(t, { s3_endpoint: store.endpoint })
    const killed = await redshift.open(deliveryOf(config(COPY), put, { ...job, config: config(COPY) }))
    await killed.write(pageOf([['u', 'e', '{}', '', '{}', '{}', 'd', 1, '', '', 0]]))
    // As if the process died between the files and the COPY.
    const range = createHash('sha256').update(job.range_key).digest('hex').slice(0, 32)
    const parent = `some/prefix/workspace-admin/${job.batch_export_id}/${range}/`
    await store.put(`${parent}${job.run_id}-0/00000.jsonl.gz`)
    await store.put(`${parent}${job.run_id}-0/manifest.json`)
    await store.put('some/prefix/workspace-admin/other/1/00000.jsonl.gz')
    t.equal(await failureOf({ ...job, attempt: 2 }), undefined)
    t.same(await store.keys(), ['some/prefix/workspace-admin/other/1/00000.jsonl.gz'])
    await killed.abort()
    t.strictSame(await query('select count(*)::int as n from events'), [{ n: 3 }])
    t.match(copies.at(-1), new RegExp(`from 's3://staging/${parent}${job.run_id}-2/manifest.json' iam_role`))
  })

  await t.test('are deleted when the copy fails, and when the attempt is aborted', async (t) => {
    const before = (await store.keys()).length
    const denied = { ...COPY, copy_inputs: { ...COPY.copy_inputs, authorization: `${ROLE}-other` } }
    const failed = await failureOf({
      ...job,
      range_key: 'x',
      destination: { type: 'Redshift', config: config(denied) },
    })
    t.match(failed, { retryable: true, message: /could not copy the files/ })
    t.notMatch(failed!.message, /peer/)
    t.equal((await store.keys()).length, before)
    const stop = new AbortController()
    const tools = toolsFor(t, { s3_endpoint: store.endpoint, signal: stop.signal })
    const receiver = await redshift.open(deliveryOf(config(COPY), tools, { range_key: 'y' }))
    await receiver.write(pageOf([['u', 'e', '{}', '', '{}', '{}', 'd', 1, '', '', 0]]))
    stop.abort(new Error('cancelled'))
    await t.rejects(receiver.commit(), { message: 'cancelled' })
    await receiver.abort()
    t.equal((await store.keys()).length, before)
  })

  await t.test('are copied with an access key', async (t) => {
    const keys = { ...COPY, copy_inputs: { ...COPY.copy_inputs, authorization: KEYS } }
    t.equal(
      await failureOf({ ...job, range_key: 'z', destination: { type: 'Redshift', config: config(keys) } }),
      undefined,
    )
    t.match(copies.at(-1), /access_key_id 'S3RVER' secret_access_key 'S3RVER' region 'us-east-1' manifest gzip/)
  })

  await t.test('that cannot be written fail the attempt', async (t) => {
    const to = (inputs: object) =>
      failureOf({
        ...job,
        range_key: 'w',
        destination: { type: 'Redshift', config: config({ ...COPY, copy_inputs: { ...COPY.copy_inputs, ...inputs } }) },
      })
    t.match(await to({ s3_bucket: 'absent' }), { retryable: false, message: /bucket does not exist/ })
    t.match(await to({ bucket_credentials: { aws_access_key_id: 'x', aws_secret_access_key: 'y' } }), {
      retryable: false,
      message: /credentials/,
    })
    t.match(await failureOf({ ...job, range_key: 'w', outbound_allow: undefined }), { message: /OUTBOUND_ALLOW/ })
  })
})

scenario('a Redshift cluster that fails', async (t) => {
  const app = await openApp(t, 'sqlite')
  await ingest(app, plainEvents(3))
  const stub = await openRedshift(t)
  const { config, query } = stub
  const to = (more: object, job: Partial<DeliveryJob> = {}) => failureOf(jobTo(app, config(more), job))

  await t.test('produces a message that says what to do', async (t) => {
    t.match(await to({ password: 'wrong' }), { retryable: false, message: /user or the password/ })
    t.match(await to({ database: 'nowhere' }), { retryable: false, message: /database does not exist/ })
    t.match(await to({ schema: 'nowhere' }), { retryable: false, message: /schema does not exist/ })
    await query('create table other (uuid text, event text)')
    t.match(await to({ table_name: 'other' }), { retryable: false, message: /^The table has no column "properties", / })
    await query('create table narrow (event date)')
    t.match(await to({ table_name: 'narrow' }, { hogql_query: 'select event from events' }), {
      retryable: false,
      message: /does not fit/,
    })
    t.match(await to({ port: 1 }), { retryable: true, message: /failed or timed out/ })
    t.match(await to({}, { outbound_allow: undefined }), { retryable: false, message: /OUTBOUND_ALLOW/ })
  })

  await t.test('at any step loses nothing and leaves nothing twice', async (t) => {
    const job = jobTo(app, config({ table_name: 'stepwise' }))
    for (const part of [
      'create temporary',
      'insert into workspace',
      'begin',
      'lock',
      'insert into "public"',
      'commit',
    ]) {
      stub.fault = ({ text, client }) => {
        if (!text.includes(part)) return false
        client.destroy()
        return true
      }
      t.match(await failureOf(job), { retryable: true, message: /failed or timed out/ }, part)
    }
    t.strictSame(await query('select count(*)::int as n from stepwise'), [{ n: 0 }])
    // The transaction commits, but the response is lost.
    stub.fault = ({ text, client, server }) => {
      if (!text.startsWith('commit')) return false
      server.removeAllListeners('data')
      server.once('data', () => client.destroy())
      return false
    }
    t.match(await failureOf(job), { retryable: true })
    stub.fault = () => false
    t.match(await logsOf({ ...job, attempt: 2 }), [/already delivered/])
    t.strictSame(await query('select count(*)::int as n from stepwise'), [{ n: 3 }])
  })

  await t.test('that stalls times out', async (t) => {
    const limits = { connect_ms: 10_000, statement_ms: 3_000, insert_ms: 3_000 }
    stub.fault = ({ text }) => text.includes('lock')
    const receiver = await createRedshift(limits).open(deliveryOf(config({ table_name: 'slow' }), toolsFor(t)))
    await receiver.write(pageOf([['u', 'e', '{}', '', '{}', '{}', 'd', 1, '', '', 0]]))
    await t.rejects(receiver.commit(), { message: /timed out/ })
    await receiver.abort()
    stub.fault = () => false
    t.strictSame(await query('select count(*)::int as n from slow'), [{ n: 0 }])
  })
})

scenario('tests a Redshift destination step by step', async (t) => {
  const store = await openStore(t)
  const stub = await openRedshift(t, store.endpoint)
  const { config, query } = stub
  const test = (more: object = {}, tools = {}) =>
    stepsOf(redshift, config(more), toolsFor(t, { s3_endpoint: store.endpoint, ...tools }))
  for (const copying of [{}, COPY]) {
    t.same(await test(copying), { completed: [...redshift.steps] })
    t.strictSame(await query("select to_regclass('events') as made"), [{ made: null }])
  }
  const concurrent = Promise.all(Array.from({ length: 4 }, () => test(COPY)))
  t.same(await concurrent, Array(4).fill({ completed: [...redshift.steps] }), 'tests at the same time do not interfere')
  t.same(await store.keys(), [])
  await query('create table events (one int)')
  t.same(await test(COPY), { completed: [...redshift.steps] })
  t.match(await test({ password: 'wrong' }), { completed: [], failure: { message: /password/ } })
  t.match(await test({ schema: 'nowhere' }), { completed: ['Connect'], failure: { message: /schema does not exist/ } })
  const denied = { ...COPY, copy_inputs: { ...COPY.copy_inputs, authorization: `${ROLE}-other` } }
  t.match(await test(denied), { completed: redshift.steps.slice(0, 3), failure: { message: /could not copy/ } })
  t.same(await store.keys(), [])
  t.match(await test({}, { outbound: createOutbound() }), { completed: [], failure: { message: /OUTBOUND_ALLOW/ } })
  const role = `redshift_role_${process.pid}`
  await query(`create role ${role} login password 'role'`)
  t.teardown(() => query(`drop owned by ${role}; drop role ${role}`).catch(() => undefined))
  t.match(await test({ user: role, password: 'role' }), {
    completed: redshift.steps.slice(0, 2),
    failure: { message: /lacks a permission/ },
  })
})

scenario('validates the config of Redshift', async (t) => {
  const valid = { user: 'u', password: 'p', host: 'h.example', database: 'd' }
  const check = (more: object) => () => redshift.validate({ ...valid, ...more })
  const inputs = (more: object) => ({ ...COPY, copy_inputs: { ...COPY.copy_inputs, ...more } })
  for (const more of [{}, { copy_inputs: null }, COPY, inputs({ authorization: KEYS }), inputs({ s3_key_prefix: '' })])
    t.doesNotThrow(check(more))
  t.throws(check({ mode: 'COPY' }), { code: 'required', attr: 'destination__config__copy_inputs' })
  for (const [more, attr] of [
    [{ user: 'a\0b' }, 'user'],
    [{ schema: 'a"b' }, 'schema'],
    [{ table_name: 'a`b' }, 'table_name'],
    [{ table_name: 'a\nb' }, 'table_name'],
    [{ table_name: 'ä'.repeat(64) }, 'table_name'],
    [{ table_name: 'Workspace_admin_ledger' }, 'table_name'],
    [inputs({ region_name: 'evil.example/' }), 'copy_inputs__region_name'],
    [inputs({ s3_bucket: "b'" }), 'copy_inputs__s3_bucket'],
    [inputs({ s3_key_prefix: "a' --" }), 'copy_inputs__s3_key_prefix'],
    [inputs({ s3_key_prefix: 'a\\' }), 'copy_inputs__s3_key_prefix'],
    [inputs({ authorization: "arn' --" }), 'copy_inputs__authorization'],
    [inputs({ authorization: { ...KEYS, aws_access_key_id: "a'" } }), 'copy_inputs__authorization'],
  ] as const)
    t.throws(check(more), { code: 'invalid_input', attr: `destination__config__${attr}` }, attr)
  t.same(redshift.hosts?.(valid), [{ host: 'h.example', port: 5439 }])
  t.same(redshift.hosts?.({ ...valid, ...(COPY as object) }), [
    { host: 'h.example', port: 5439 },
    { host: 's3.us-east-1.amazonaws.com', port: 443 },
  ])
})
