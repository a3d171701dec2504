/** Every code block that is marked `run` works, with real destinations on loopback. */
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import t, { type Test } from 'tap'
import { AGGREGATIONS } from '../../src/hogql/aggregations.ts'
import { FUNCTION_NAMES } from '../../src/hogql/functions.ts'
import { ENGINES } from '../helpers/app.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import {
  assertSuccess,
  type Block,
  codeBlocks,
  PAGES,
  type PageServer,
  proseOf,
  runBlocks,
  startPageServer,
} from '../helpers/assertions/pages.ts'
import type { Json } from '../helpers/json.ts'
import { azuriteConnection, openBucket, openContainer } from '../helpers/peers/object-stores.ts'
import { emptyDatabase, emptyPlace } from '../helpers/programs/postgres.ts'

/** The session of the README starts its own server. */
const OWN_TEST = 'README.md'

const runnable = (page: string) =>
  codeBlocks(page).filter(({ language, marks }) => language === 'sh' && marks.includes('run'))

/** Blocks with this mark run after the others, when the server has stopped. */
const STOPPED = 'stopped'

/** Pages that need more than a server. */
const PREPARED: Record<string, (t: Test) => Promise<Preparation>> = {
  'docs/destinations.md': openDestinations,
  'docs/operations.md': openNewDatabase,
}

interface Preparation {
  environment: Record<string, string>
  check?: (output: string, server: PageServer) => Promise<void>
}

async function openNewDatabase(t: Test): Promise<Preparation> {
  return { environment: { NEW_DATABASE: await emptyPlace(t, 'postgres') } }
}

async function openDestinations(t: Test): Promise<Preparation> {
  const bucket = await openBucket(t)
  const container = await openContainer(t)
  const { url, drop } = await emptyDatabase()
  t.teardown(drop)
  const { username, password, hostname, port, pathname } = new URL(url)
  const environment = {
    BUCKET: 'events',
    S3_ENDPOINT: `http://127.0.0.1:${bucket.port}`,
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
    AZURE_CONTAINER: 'events',
    AZURE_CONNECTION_STRING: azuriteConnection(container.port),
    PGHOST: hostname,
    PGPORT: port,
    PGDATABASE: pathname.slice(1),
    PGUSER: username,
    PGPASSWORD: decodeURIComponent(password),
  }
  const lines = (text: Buffer): number => text.toString().trim().split('\n').length
  return {
    environment,
    check: async (output, server) => {
      t.notMatch(output, / failed /, 'every step of every test passes')
      t.match(output, '.parquet', 'File writes Parquet')
      const objects = Object.entries(await bucket.objects())
      t.strictSame(
        objects.map(([name, content]) => [name.slice(0, 15), lines(gunzipSync(content))]),
        [['events/2026/01/', 47]],
      )
      const blobs = Object.entries(await container.blobs())
      t.strictSame(
        blobs.map(([name, content]) => [name.slice(0, 12), lines(content)]),
        [['events/2026/', 47]],
      )
      const client = new pg.Client(url)
      await client.connect()
      t.equal((await client.query('select count(*)::int as count from shop_events')).rows[0].count, 47)
      await client.end()
      const copied = await runBlocks(
        [shell('workspace-admin events list --project-id 2 --select "count()" --json')],
        server.folder,
        server.environment,
      )
      t.match(copied.stdout, '[[47]]', 'HTTP delivers to the second project')
    },
  }
}

const shell = (code: string) => ({ page: 'test', line: 0, language: 'sh', marks: [], code })

const isStopped = ({ marks }: Block): boolean => marks.includes(STOPPED)

for (const page of PAGES.filter((page) => page !== OWN_TEST && runnable(page).length))
  t.test(`the examples of ${page} work`, async (t) => {
    const { environment = {}, check } = (await PREPARED[page]?.(t)) ?? {}
    const server = await startPageServer(t)
    const [stopped, running] = [runnable(page).filter(isStopped), runnable(page).filter((block) => !isStopped(block))]
    const variables = { ...server.environment, ...environment }
    const run = await runBlocks(running, server.folder, variables)
    assertSuccess(t, run, 'every command succeeds')
    await check?.(run.stdout, server)
    if (stopped.length === 0) return
    await server.stop()
    assertSuccess(t, await runBlocks(stopped, server.folder, variables), 'every command succeeds without the server')
  })

const HOGQL = 'docs/hogql.md'

t.test(`${HOGQL} names every function`, async (t) => {
  const text = proseOf(HOGQL)
  for (const name of FUNCTION_NAMES) t.match(text, new RegExp(`\\b${name}\\b`), name)
})

for (const engine of ENGINES)
  t.test(`the functions in ${HOGQL} return the documented results (${engine})`, async (t) => {
    const { url, environment } = await startPageServer(t, await emptyPlace(t, engine))
    const rows = [...proseOf(HOGQL).matchAll(/^\| `(.+)` \| `(.+)` \|$/gm)].flatMap(([, example = '', result = '']) =>
      isJson(result) ? [{ example, result: JSON.parse(result) }] : [],
    )
    t.ok(rows.length > 100, 'the page has examples')
    const isAggregation = ({ example }: { example: string }): boolean =>
      Object.hasOwn(AGGREGATIONS, example.slice(0, example.indexOf('(')))
    for (const some of [rows.filter(isAggregation), rows.filter((row) => !isAggregation(row))]) {
      const search = new URLSearchParams({ event: 'paid', limit: '1' })
      for (const { example } of some) search.append('select', example)
      if (!isAggregation(itemAt(some, 0))) search.set('orderBy', 'timestamp')
      const response = await fetch(`${url}/api/projects/@current/events/?${search}`, {
        headers: { authorization: `Bearer ${environment.WORKSPACE_KEY}` },
      })
      const { results, detail } = (await response.json()) as Json
      t.equal(response.status, 200, detail)
      for (const [i, { example, result }] of some.entries()) t.strictSame(results[0][i], result, example)
    }
  })

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
