/** Traces as a collector receives them over OTLP/HTTP. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { parseTraceparent, statementName } from '../../src/telemetry/tracing.ts'
import { type AppOptions, nextEngines, openApp } from '../helpers/app.ts'
import { defined } from '../helpers/assertions/items.ts'
import { freshFolder } from '../helpers/folders.ts'
import type { Json } from '../helpers/json.ts'
import { migratedDatabase } from '../helpers/programs/postgres.ts'
import { command, ended, startProcess } from '../helpers/programs/process.ts'

interface Span {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  kind: number
  attributes: Record<string, unknown>
  status: { code?: number }
}

interface Collector {
  environment: Record<string, string>
  spans: Span[]
  /** All requests as text. */
  received: string
  /** Resolves with the first span that matches. */
  span(matches: (span: Span) => boolean): Promise<Span>
}

interface Value {
  stringValue?: string
  intValue?: number
}

async function startCollector(t: Test): Promise<Collector> {
  const spans: Span[] = []
  const collector: Collector = {
    environment: {},
    spans,
    received: '',
    span: async (matches) => {
      for (;;) {
        const found = spans.find(matches)
        if (found) return found
        await once(server, 'stored')
      }
    },
  }
  const server = createServer(async (request, reply) => {
    const body = (await json(request)) as {
      resourceSpans: { scopeSpans: { spans: (Span & { attributes: { key: string; value: Value }[] })[] }[] }[]
    }
    collector.received += request.url + JSON.stringify(body)
    for (const { scopeSpans } of body.resourceSpans)
      for (const span of scopeSpans.flatMap((scope) => scope.spans))
        spans.push({
          ...span,
          attributes: Object.fromEntries(
            span.attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
          ),
        })
    reply.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    server.emit('stored')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  collector.environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/`,
    OTEL_BSP_SCHEDULE_DELAY: '10',
  }
  return collector
}

const [SERVER, CLIENT] = [2, 3]
const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

for (const engine of nextEngines())
  t.test(`requests are spans with their statements as children (${engine})`, async (t) => {
    const collector = await startCollector(t)
    const open = (environment: AppOptions['environment'] = {}) =>
      openApp(t, engine, { environment: { ...collector.environment, ...environment } })
    const { send, first } = await open()
    const of = (id: string) => (span: Span) => span.attributes['workspace.request.id'] === id

    await send('GET', '/api/organizations/@current/?token=link-secret', {
      headers: { 'x-request-id': 'read', traceparent: `00-${TRACE}-${PARENT}-00` },
    })
    const read = await collector.span(of('read'))
    t.match(read, {
      name: 'GET /api/organizations/{id}/',
      kind: SERVER,
      traceId: TRACE,
      parentSpanId: PARENT,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/api/organizations/{id}/',
        'url.path': '/api/organizations/@current/',
        'http.response.status_code': 200,
        'client.address': '127.0.0.1',
        'user.id': '1',
        'workspace.operation': 'organizations.retrieve',
      },
    })
    const statement = await collector.span(
      (span) => span.parentSpanId === read.spanId && span.name === 'select projects',
    )
    t.match(statement, {
      kind: CLIENT,
      traceId: TRACE,
      attributes: { 'db.system.name': engine === 'sqlite' ? 'sqlite' : 'postgresql', 'db.query.text': /^\s*select/ },
    })

    const names = Array.from({ length: 5 }, (_, i) => `Secret name ${i}`)
    await Promise.all(
      names.map((name, i) =>
        send('POST', '/api/organizations/', { body: { name }, headers: { 'x-request-id': `write-${i}` } }),
      ),
    )
    for (const i of names.keys()) {
      const write = await collector.span(of(`write-${i}`))
      t.notOk(write.parentSpanId, 'a request without a parent starts a trace')
      const insert = await collector.span(
        ({ parentSpanId, name }) => parentSpanId === write.spanId && name === 'insert organizations',
      )
      t.equal(insert.traceId, write.traceId, 'concurrent writes have the statements of their own request')
    }
    await collector.span(({ name }) => name === 'commit')

    await send('GET', '/api/users/@me/', { key: null, headers: { 'x-request-id': 'bad', traceparent: '00-0-0-01' } })
    t.match(await collector.span(of('bad')), { attributes: { 'http.response.status_code': 401 }, status: { code: 0 } })
    for (const secret of [first.api_key, 'link-secret', 'Secret name', 'Bearer'])
      t.notOk(collector.received.includes(secret), `no ${secret} in the spans`)
    t.match(collector.received, /^\/v1\/traces/)
    t.match(collector.received, /"service.name","value":\{"stringValue":"workspace-admin"/)
    t.notOk(
      collector.spans.some((span) => span.kind === CLIENT && !span.parentSpanId),
      'background statements are not traced',
    )

    const rarely = await open({ OTEL_TRACES_SAMPLER_ARG: '0' })
    const before = collector.spans.length
    await rarely.send('GET', '/api/users/@me/', { headers: { traceparent: `00-${TRACE}-${PARENT}-01` } })
    await defined(rarely.deps.tracing).flush()
    t.equal(collector.spans.length, before, 'a client cannot turn on the recording')
  })

for (const engine of nextEngines())
  t.test(`an export attempt is a trace through the delivery process (${engine})`, async (t) => {
    const collector = await startCollector(t)
    const postgres = engine === 'postgres' ? await migratedDatabase() : undefined
    const folder = freshFolder(t)
    const environment = {
      DATABASE_URL: postgres?.url ?? `sqlite:${folder}`,
      EXPORT_FOLDER: folder,
      ...collector.environment,
    }
    const server = await startProcess(t, environment)
    const post = async (path: string, body: unknown): Promise<Json> => {
      const response = await fetch(server.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.api_key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      t.ok(response.ok, path)
      return response.json() as Promise<Json>
    }
    await post('/capture/', { api_key: server.project_token, event: 'e', distinct_id: 'd' })
    const created = await post('/api/projects/@current/batch_exports/', {
      name: 'x',
      interval: 'hour',
      paused: true,
      destination: { type: 'File', config: { prefix: 'p' } },
    })
    const end = new Date()
    await post(`/api/projects/@current/batch_exports/${created.id}/backfill/`, {
      start_at: new Date(end.getTime() - 3_600_000).toISOString(),
      end_at: end.toISOString(),
    })
    const deliver = await collector.span(({ name }) => name === 'deliver File')
    const attempt = await collector.span(({ spanId }) => spanId === deliver.parentSpanId)
    t.match(attempt, {
      name: 'export attempt',
      traceId: deliver.traceId,
      attributes: { 'workspace.batch_export.id': created.id, 'workspace.run.attempt': 1 },
    })
    t.notOk(attempt.parentSpanId)
    const page = await collector.span(
      (span) => span.parentSpanId === deliver.spanId && String(span.attributes['db.query.text']).includes('events'),
    )
    t.equal(page.traceId, attempt.traceId)
    t.ok(await collector.span((span) => span.parentSpanId === attempt.spanId && span.kind === CLIENT))
    await server.kill()
    await postgres?.drop()
  })

t.test('a start without the libraries names the install command', async (t) => {
  const loader = `data:text/javascript,${encodeURIComponent(`
    import { registerHooks } from 'node:module'
    registerHooks({ resolve: (name, context, next) => next(name.startsWith('@opentelemetry/') ? '@opentelemetry/missing' : name, context) })
  `)}`
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', NODE_OPTIONS: `--import=${loader}` }
  const { code, stderr } = await ended(command(['serve', '--port', '0', '--ephemeral'], environment))
  t.equal(code, 1)
  t.match(stderr, /npm install @opentelemetry\/api@.*or unset OTEL_EXPORTER_OTLP_ENDPOINT/)
})

t.test('reads traceparent headers and names statements', async (t) => {
  t.match(parseTraceparent(`00-${TRACE}-${PARENT}-01`), { traceId: TRACE, spanId: PARENT, traceFlags: 1 })
  for (const header of [undefined, '', 'x', `01-${TRACE}-${PARENT}-01`, `00-${'0'.repeat(32)}-${PARENT}-01`, [TRACE]])
    t.equal(parseTraceparent(header), undefined)
  for (const [text, name] of [
    ['\n  select * from projects where id = ?', 'select projects'],
    ['insert into members (a) values (?)', 'insert members'],
    ['update plugins set a = ?', 'update plugins'],
    ['delete from runs', 'delete runs'],
    ['commit', 'commit'],
  ] as const)
    t.equal(statementName(text), name)
})
