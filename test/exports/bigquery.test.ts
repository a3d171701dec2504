/** Delivery to BigQuery: rows, repeated deliveries, failures at each step and error messages. */
import { generateKeyPairSync } from 'node:crypto'
import { Readable } from 'node:stream'
import t from 'tap'
import type { Page } from '../../src/events/extract.ts'
import { openBigQuery } from '../../src/exports/bigquery-api.ts'
import { type DeliveryJob, deliver, describeFailure } from '../../src/exports/deliver.ts'
import type { Checkpoint, Delivery } from '../../src/exports/destination.ts'
import { bigquery, createBigQuery } from '../../src/exports/destinations/bigquery.ts'
import { createOutbound } from '../../src/outbound/guard.ts'
import { sql } from '../../src/sql/template.ts'
import { ENGINES, openApp, type TestApp } from '../helpers/app.ts'
import { halfInQuick, inTurn } from '../helpers/assertions/figures.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import { type BigQueryStep, openBigQueryStub, PEER_TEXT } from '../helpers/peers/bigquery.ts'
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

const LIMITS = {
  connect_ms: 2_000,
  idle_ms: 1_000,
  job_ms: 2_000,
  first_poll_ms: 5,
  max_poll_ms: 20,
  part_bytes: 100 * 1024 * 1024,
}

const jobTo = (app: TestApp, config: object, more: Partial<DeliveryJob> = {}): DeliveryJob =>
  jobFor(app, { type: 'BigQuery', config: { ...config } }, more)

/** Each first request of a step fails. */
const failOnce = (when: 'before' | 'after', steps: readonly BigQueryStep[]) => {
  const left = new Set(steps)
  return (step: BigQueryStep) => (left.delete(step) ? { when } : undefined)
}

const COUNT = 'select count(*)::int as n, count(distinct uuid)::int as uuids from analytics.events'

for (const engine of inTurn(ENGINES))
  t.test(`a table in BigQuery (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    await ingest(app, [
      ...plainEvents(450),
      {
        uuid: uuid(0xfffff),
        event: 'odd "name",\n\\.\n\u0001\u2028',
        distinct_id: 'ü, ""',
        properties: { $elements_chain: 'a:text="x"', $ip: '1.2.3.4', $set_once: { first: null }, wide: 1e300 },
        timestamp: '1969-12-31T23:59:59.999999Z',
      },
    ])

    await t.test('contains every event with all its values', async (t) => {
      for (const use_json_type of [false, true]) {
        const stub = await openBigQueryStub(t)
        const { records, bytes } = await deliver(
          jobTo(app, { ...stub.config, use_json_type }),
          listener(),
          NEVER_ABORTED,
        )
        t.equal(records, 451)
        t.ok(bytes > 1_000)
        const text = use_json_type ? 'JSON' : 'STRING'
        t.strictSame(
          stub.tables.get('events')?.map(({ name, type }) => `${name} ${type}`),
          [
            'uuid STRING',
            'event STRING',
            `properties ${text}`,
            'elements STRING',
            `set ${text}`,
            `set_once ${text}`,
            'distinct_id STRING',
            'team_id INTEGER',
            'ip STRING',
            'site_url STRING',
            'timestamp TIMESTAMP',
            'bq_ingested_timestamp TIMESTAMP',
          ],
        )
        const rows = await stub.query(`select *, epoch_us(timestamp)::text as at from analytics.events order by uuid`)
        t.equal(rows.length, 451)
        t.match(rows[0], {
          uuid: uuid(1),
          event: 'seen',
          team_id: String(app.first.project_id),
          ip: null,
          site_url: '',
        })
        const first = rows[0] as Record<'properties' | 'set' | 'set_once' | 'bq_ingested_timestamp', string>
        t.strictSame(JSON.parse(first.properties), plainEvents(1)[0]?.properties)
        t.strictSame(JSON.parse(first.set), { plan: 'free' })
        t.equal(first.set_once, null)
        t.ok(first.bq_ingested_timestamp)
        t.match(rows[450], { event: 'odd "name",\n\\.\n\u0001\u2028', elements: 'a:text="x"', ip: '1.2.3.4', at: '-1' })
        t.strictSame(JSON.parse(String(rows[450]?.set_once)), { first: null })
        t.strictSame([...stub.tables.keys()], ['events'], 'no staging table is left')
      }
    })

    await t.test('gets no duplicates from a repeat, and a retried run restores deleted rows', async (t) => {
      const stub = await openBigQueryStub(t)
      const job = jobTo(app, stub.config)
      await deliver(job, listener(), NEVER_ABORTED)
      // Killed after the job, before the checkpoint that follows it.
      const first = listener()
      await deliver(job, first, NEVER_ABORTED)
      t.strictSame(await stub.query(COUNT), [{ n: 451, uuids: 451 }], 'the same range has the same job')
      await deliver({ ...job, attempt: 2, checkpoint: itemAt(first.checkpoints, 0) }, listener(), NEVER_ABORTED)
      t.strictSame(await stub.query(COUNT), [{ n: 451, uuids: 451 }])
      t.equal([...stub.jobs.values()].filter(({ kind }) => kind === 'load').length, 1)

      await stub.query("delete from analytics.events where event = 'paid'")
      const retried = listener()
      await deliver({ ...job, run_id: uuid(0xabd), repeated: true }, retried, NEVER_ABORTED)
      t.strictSame(await stub.query(COUNT), [{ n: 451, uuids: 451 }])
      t.ok(retried.reports.some((report) => report.kind === 'log' && report.message.startsWith('150 rows')))
      t.ok(retried.checkpoints.every(({ merged }) => merged))
    })

    await t.test('gets each event once, whichever request fails, before or after it takes effect', async (t) => {
      const steps: BigQueryStep[] = ['token', 'table.get', 'table.create', 'upload.start', 'upload.put', 'job.get']
      const staged: BigQueryStep[] = [...steps, 'query', 'table.delete']
      for (const when of ['before', 'after'] as const)
        for (const use_json_type of [false, true]) {
          const stub = await openBigQueryStub(t)
          stub.job_ms = 5
          stub.fault = failOnce(when, use_json_type ? staged : steps)
          const failures = await deliverRepeatedly(jobTo(app, { ...stub.config, use_json_type }))
          t.ok(failures.length >= 5)
          t.strictSame(new Set(failures), new Set(['The connection to BigQuery failed.']))
          t.strictSame(await stub.query(COUNT), [{ n: 451, uuids: 451 }])
        }
    })

    await t.test('gets the next job number after a failed job', async (t) => {
      const stub = await openBigQueryStub(t)
      let failing = 2
      stub.failJob = () => (failing-- > 0 ? 'backendError' : undefined)
      t.strictSame(
        await deliverRepeatedly(jobTo(app, stub.config)),
        Array(2).fill('BigQuery is temporarily unavailable.'),
      )
      t.strictSame(await stub.query(COUNT), [{ n: 451, uuids: 451 }])
      t.match([...stub.jobs.keys()], [/_0$/, /_1$/, /_2$/])
    })

    await t.test('is delivered in parts, and a repeat reads the same part', async (t) => {
      const stub = await openBigQueryStub(t)
      const parts = createBigQuery({ ...LIMITS, part_bytes: 1 })
      const pages = await pagesOf(app, parts, 3)
      const saved: Checkpoint[] = []
      const open = (checkpoint: Checkpoint | null) =>
        parts.open({
          ...(jobTo(app, stub.config) as any),
          config: stub.config,
          columns: parts.columns,
          merge: null,
          checkpoint,
          tools: toolsFor(t, { checkpoint: async (state) => void saved.push(JSON.parse(JSON.stringify(state))) }),
        } as Delivery<any>)
      const first = await open(null)
      for (const page of pages) await first.write(copyOf(page))
      await first.commit()
      t.equal(stub.jobs.size, 3)
      t.strictSame(
        saved.map(({ cursor, through }) => [cursor, through]),
        pages.flatMap(({ cursor }, i) => [
          [pages[i - 1]?.cursor ?? null, cursor],
          [cursor, undefined],
        ]),
      )
      // The second part was loaded, but the attempt was killed: the repeat skips it.
      const second = await open(itemAt(saved, 2))
      for (const page of pages.slice(1)) await second.write(copyOf(page))
      await second.commit()
      t.equal(stub.jobs.size, 3)
      // The third part was not loaded: the repeat loads the same range under the same id.
      const id = itemAt([...stub.jobs.keys()], 2)
      stub.jobs.delete(id)
      await stub.query('delete from analytics.events where rowid >= 200')
      const third = await open(itemAt(saved, 4))
      await third.write(copyOf(itemAt(pages, 2)))
      await third.commit()
      t.equal([...stub.jobs.keys()][2], id)
      t.strictSame(await stub.query(COUNT), [{ n: 300, uuids: 300 }])
    })

    await t.test('has the columns of a query, and a repeat finds its job', async (t) => {
      for (const use_json_type of [false, true]) {
        const stub = await openBigQueryStub(t)
        const hogql_query = `select event as name, toInt(properties.number) as n, timestamp, toDate(timestamp) as day, toInt(properties.number) / 2 as half, toInt(properties.number) > 5 as big, [toInt(properties.number), 1] as list, properties from events where event = 'paid' and n < 10`
        const job = jobTo(app, { ...stub.config, use_json_type, table_id: 'my table' }, { hogql_query })
        await deliver(job, listener(), NEVER_ABORTED)
        await deliver({ ...job, run_id: uuid(0xabd), attempt: 2, repeated: true }, listener(), NEVER_ABORTED)
        const rows = await stub.query('select * from analytics."my table" order by n')
        t.match(
          rows,
          [
            { n: '1' },
            { n: '4' },
            { n: '7', name: 'paid', half: 3.5, big: true, list: '[7, 1]', day: '2026-01-01' },
          ].map((row) => ({ ...row, ...(row.list && { list: /\[7, ?1\]/ }) })),
        )
        t.equal(rows.length, 3)
      }
      const stub = await openBigQueryStub(t)
      const odd = jobTo(app, stub.config, { hogql_query: 'select event as "odd name" from events' })
      t.match(await deliverRepeatedly(odd), [/does not accept the column name "odd name"/])
    })

    await t.test('created by others is used if it has the columns', async (t) => {
      const stub = await openBigQueryStub(t)
      stub.tables.set('events', [{ name: 'uuid', type: 'STRING' }])
      t.match(await deliverRepeatedly(jobTo(app, stub.config)), [/The table has no column "event", "properties"/])
    })
  })

/** A receiver may free the text of a page. */
const copyOf = (page: Page): Page => ({ ...page, text: Buffer.from(page.text) })

/** Pages of the events, as the destination receives them. */
async function pagesOf(app: TestApp, { columns }: { columns: Delivery<unknown>['columns'] }, count: number) {
  const { openSource } = await import('../../src/events/source.ts')
  const { project_id, range, url } = jobTo(app, {})
  const source = await openSource(url, false)
  const rest = { include: null, exclude: null, where: null }
  const extract = { model: 'events' as const, project_id, range, columns, encoding: 'cells' as const, ...rest }
  const pages = []
  for (
    let page = await source.page(extract, null, 100);
    page && pages.length < count;
    page = await source.page(extract, page.cursor, 100)
  )
    pages.push(page)
  await source.close()
  return pages
}

scenario('rows with a version replace older ones', async (t) => {
  const stub = await openBigQueryStub(t)
  const destination = createBigQuery(LIMITS)
  const column = (name: string, kind: 'string' | 'integer' | 'json') => ({
    name,
    type: { kind },
    sql: sql``,
    usesPerson: false,
  })
  const columns = [column('distinct_id', 'string'), column('properties', 'json'), column('person_version', 'integer')]
  const cells = (rows: (string | number)[][]): Buffer =>
    Buffer.from(rows.map((row) => `${row.map((cell) => `${cell}\u0002`).join('')}\n`).join(''))
  for (const use_json_type of [false, true])
    for (const rows of [
      [
        ['a', '{"n":1}', 1],
        ['b', '{"n":1}', 3],
      ],
      [
        ['a', '{"n":2}', 2],
        ['a', '{"n":3}', 3],
        ['b', '{"n":2}', 2],
        ['c', '{}', 1],
      ],
    ]) {
      const receiver = await destination.open({
        ...FIRST_ATTEMPT,
        config: { ...stub.config, table_id: `persons_${use_json_type}`, use_json_type },
        columns,
        merge: { key: ['distinct_id'], version: 'person_version' },
        checkpoint: null,
        tools: toolsFor(t),
      })
      await receiver.write({ records: rows.length, text: cells(rows), cursor: [1, 1] })
      await receiver.commit()
    }
  for (const table of ['persons_true', 'persons_false'])
    t.strictSame(
      await stub.query(
        `select distinct_id, properties::varchar as properties, person_version::int as v from analytics.${table} order by 1`,
      ),
      [
        { distinct_id: 'a', properties: '{"n":3}', v: 3 },
        { distinct_id: 'b', properties: '{"n":1}', v: 3 },
        { distinct_id: 'c', properties: '{}', v: 1 },
      ],
    )
})

const LINE = `${['u', 'e', '{}', '', '{}', '{}', 'd', '1', '\u0003', '', '0'].join('\u0002')}\u0002`

scenario('errors say what to do and contain no text of the peer', async (t) => {
  const destination = createBigQuery(LIMITS)
  const faults: [BigQueryStep, { status?: number; reason: string }, object][] = [
    [
      'token',
      { status: 400, reason: 'invalid_grant' },
      { retryable: false, message: /rejected the service account \(400\)/ },
    ],
    [
      'token',
      { status: 503, reason: 'backendError' },
      { retryable: true, message: /token server is temporarily unavailable/ },
    ],
    ['table.get', { reason: 'accessDenied' }, { retryable: false, message: /Grant it BigQuery Data Editor/ }],
    ['table.create', { reason: 'notFound' }, { retryable: false, message: /"dataset_id"/ }],
    ['upload.start', { reason: 'quotaExceeded' }, { retryable: true, message: /quota/ }],
    ['upload.put', { reason: 'rateLimitExceeded' }, { retryable: true, message: /quota/ }],
    ['upload.put', { reason: 'billingNotEnabled' }, { retryable: false, message: /billing/i }],
    ['upload.put', { status: 401, reason: 'authError' }, { retryable: false, message: /access token \(401\)/ }],
    ['upload.put', { status: 500, reason: 'other' }, { retryable: true, message: /temporarily/ }],
    ['upload.put', { status: 418, reason: 'other' }, { retryable: false, message: /\(418\)/ }],
    ['job.get', { reason: 'backendError' }, { retryable: true, message: /temporarily/ }],
  ]
  for (const [failing, fault, expected] of faults) {
    const stub = await openBigQueryStub(t)
    stub.fault = (step) => (step === failing ? { when: 'before', ...fault } : undefined)
    const failure = await failureOf(() => send(destination, stub.config, toolsFor(t), LINE))
    t.match(failure, expected, `${failing} ${fault.reason}`)
    t.notMatch(JSON.stringify(failure), PEER_TEXT)
  }
  const reasons = { invalid: false, quotaExceeded: true, accessDenied: false, stopped: true, unknownReason: true }
  for (const [reason, retryable] of Object.entries(reasons)) {
    const stub = await openBigQueryStub(t)
    stub.failJob = () => reason
    const failure = await failureOf(() => send(destination, stub.config, toolsFor(t), LINE))
    t.match(failure, { retryable }, reason)
    t.notMatch(JSON.stringify(failure), PEER_TEXT)
  }
})

async function failureOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work()
  } catch (error) {
    return describeFailure(error)
  }
}

scenario('a silent server and a job without end time out', async (t) => {
  const destination = createBigQuery({ ...LIMITS, job_ms: 100 })
  for (const silent of ['token', 'upload.put', 'job.get'] as const) {
    const stub = await openBigQueryStub(t)
    stub.fault = (step) => (step === silent ? { when: 'before', hangs: true } : undefined)
    t.match(await failureOf(() => send(destination, stub.config, toolsFor(t), LINE)), {
      retryable: true,
      message: 'BigQuery did not respond in time.',
    })
  }
  const stub = await openBigQueryStub(t)
  stub.job_ms = 60_000
  t.match(await failureOf(() => send(destination, stub.config, toolsFor(t), LINE)), {
    retryable: true,
    message: /has not finished the job/,
  })
  const aborted = new AbortController()
  const hanging = await openBigQueryStub(t)
  hanging.fault = () => ({ when: 'before', hangs: true })
  void hanging.hanging.then(() => aborted.abort(new Error('cancelled')))
  await t.rejects(send(destination, hanging.config, toolsFor(t, { signal: aborted.signal }), LINE), /cancelled/)
})

scenario('a failed upload closes its file', async (t) => {
  const { config } = await openBigQueryStub(t)
  const limits = { ...LIMITS, idle_ms: 60_000 }
  const api = openBigQuery(config as Parameters<typeof openBigQuery>[0], toolsFor(t), limits)
  t.teardown(() => api.close())
  const upload = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    const body = Readable.from(chunks)
    const source = { table_id: 'events', format: 'PARQUET', body, length: 200_000 } as const
    try {
      await api.load({ id: 'unreadable', location: 'EU' }, source)
    } finally {
      t.ok(body.destroyed)
    }
  }
  const unreadable = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.alloc(100_000)
    throw new Error('The file is gone.')
  }
  await t.rejects(upload(unreadable()), /does not exist/, 'a table that does not exist')
  await api.createTable('events', [{ name: 'uuid', type: 'STRING' }])
  await t.rejects(upload(unreadable()), 'a file that cannot be read')
})

scenario('every connection passes the guard', async (t) => {
  const stub = await openBigQueryStub(t)
  const destination = createBigQuery(LIMITS)
  const closed = toolsFor(t, { outbound: createOutbound() })
  t.match(await failureOf(() => send(destination, stub.config, closed, LINE)), { message: /OUTBOUND_ALLOW/ })
  t.strictSame(stub.requests, [])
  const other = await openBigQueryStub(t)
  // Only the token server is allowed.
  const port = new URL(stub.url).port
  const partly = toolsFor(t, { outbound: createOutbound({ allow: `127.0.0.1/32:${port}` }) })
  const config = { ...stub.config, endpoint_url: other.url }
  t.match(await failureOf(() => send(destination, config, partly, LINE)), { message: /OUTBOUND_ALLOW/ })
  t.strictSame(
    stub.requests.map(({ step }) => step),
    ['token'],
  )
  t.strictSame(other.requests, [])
  t.strictSame(
    bigquery.hosts?.({ ...stub.config, endpoint_url: null }).map(({ host }) => host),
    ['127.0.0.1', 'bigquery.googleapis.com'],
  )
})

scenario('the test of a destination names the step that fails', async (t) => {
  const destination = createBigQuery(LIMITS)
  const stub = await openBigQueryStub(t)
  t.strictSame(await stepsOf(destination, stub.config, toolsFor(t)), { completed: [...destination.steps] })
  t.strictSame([...stub.tables.keys()], [], 'nothing is left')
  stub.tables.set('events', [{ name: 'distinct_id', type: 'STRING' }])
  const ofPersons = await stepsOf(destination, stub.config, toolsFor(t))
  t.strictSame(ofPersons, { completed: [...destination.steps] }, 'the table of an export with other columns')
  const failing: [BigQueryStep, number][] = [
    ['token', 0],
    ['dataset', 1],
    ['table.get', 2],
    ['upload.put', 3],
  ]
  for (const [step, completed] of failing) {
    stub.fault = (one) => (one === step ? { when: 'before', reason: 'accessDenied' } : undefined)
    const result = await stepsOf(destination, stub.config, toolsFor(t))
    t.equal(result.completed.length, completed, step)
    t.notMatch(JSON.stringify(result), PEER_TEXT)
  }
})

scenario('the config is validated', async (t) => {
  const { config } = await openBigQueryStub(t)
  bigquery.validate(config)
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' })
  const wrong: [string, unknown][] = [
    ['project_id', 'a/../b'],
    ['project_id', 'a`b'],
    ['dataset_id', 'a.b'],
    ['dataset_id', 'a`'],
    ['table_id', 'a`b'],
    ['table_id', 'a\nb'],
    ['table_id', "a'b"],
    ['token_uri', 'file:///etc/passwd'],
    ['token_uri', 'https://'],
    ['endpoint_url', 'ftp://host'],
    ['private_key', 'secret-text'],
    ['private_key', ec],
  ]
  for (const [key, value] of wrong)
    t.throws(
      () => bigquery.validate({ ...config, [key]: value }),
      { code: 'invalid_input', attr: `destination__config__${key}` },
      `${key} ${value}`,
    )
  try {
    bigquery.validate({ ...config, private_key: 'secret-text' })
  } catch (error) {
    t.notMatch(String(error), 'secret-text')
  }
})
