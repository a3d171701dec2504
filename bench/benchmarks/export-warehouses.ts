/** Exports to ClickHouse, Redshift and S3Compatible, against programs that only write the same bytes to the same peer. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { S3Client } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import Sqlite from 'better-sqlite3'
import pg from 'pg'
import { startPostgres } from '../../test/helpers/programs/postgres.ts'
import type { Benchmark, Variant } from '../benchmark.ts'
import { startFilledOnPostgres } from '../postgres.ts'
import { killOnExit, postJson, startFilled, tempFolder, timed, type Workspace } from '../workspace.ts'
import { exportsPath, memoryBenchmark, runOnce } from './export.ts'
import { postgresExports } from './export-postgres.ts'

const EVENTS = 200_000
const FEW_EVENTS = 50_000
const BLOCK_BYTES = 16 * 1024 * 1024
const INSERT_ROWS = 2_978
const COLUMNS = 'uuid, event, properties, elements, "set", set_once, distinct_id, team_id, ip, site_url, timestamp'

let workspace: Workspace
let onPostgres: Workspace
let direct: Variant
let config: object

const exporting = (type: string, from: () => Workspace): Variant => {
  const exportIds = new WeakMap<Workspace, string>()
  return async () => {
    const workspace = from()
    let id = exportIds.get(workspace)
    if (id === undefined) {
      const body = { name: 'bench', interval: 'week', paused: true, destination: { type, config } }
      const created: { id: string } = JSON.parse(await postJson(workspace, `${exportsPath(workspace)}/`, body))
      id = created.id
      exportIds.set(workspace, id)
    }
    const known = id
    return timed(() => runOnce(workspace, known))
  }
}

async function startPeer(kind: 'clickhouse' | 's3'): Promise<number> {
  const peer = spawn(process.execPath, ['bench/peers/warehouse.mjs', kind, tempFolder()], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  killOnExit(peer)
  const [line] = await once(createInterface(peer.stdout), 'line')
  return Number(line)
}

/** Servers that start later may connect to loopback. */
function allowLoopback(): void {
  process.env.OUTBOUND_ALLOW = '127.0.0.1/32'
}

/** The SQL of the columns of files beyond those of ClickHouse. */
const PERSON = `, p.id as person_id, p.properties as person_properties
  from events e
  left join person_distinct_ids d on d.project_id = e.project_id and d.distinct_id = e.distinct_id
  left join persons p on p.project_id = d.project_id and p.id = d.person_id`

interface EventRow {
  uuid: string
  event: string
  properties: string
  distinct_id: string
  timestamp: number
  person_id: string
  person_properties: string
}

function readRows(): EventRow[] {
  const db = new Sqlite(workspace.file, { readonly: true })
  const rows = db
    .prepare(`select e.uuid, e.event, e.properties, e.distinct_id, e.timestamp ${PERSON}`)
    .all() as EventRow[]
  db.close()
  return rows
}

const isoOf = ({ timestamp }: EventRow): string => `${new Date(timestamp / 1000).toISOString().slice(0, -1)}000Z`

const clickHouseLine = (row: EventRow): string => {
  const { uuid, event, properties, distinct_id } = row
  const time = isoOf(row)
  return `{"uuid":"${uuid}","event":"${event}","properties":${properties},"distinct_id":"${distinct_id}","elements_chain":"","team_id":1,"timestamp":"${time}","created_at":"${time}"}\n`
}

const fileLine = (row: EventRow): string => {
  const { uuid, event, properties, distinct_id, person_id, person_properties } = row
  const time = isoOf(row)
  return `{"uuid":"${uuid}","event":"${event}","distinct_id":"${distinct_id}","person_id":"${person_id}","properties":${properties},"person_properties":${person_properties},"elements_chain":"","timestamp":"${time}","created_at":"${time}","_inserted_at":"${time}"}\n`
}

/** The same bytes as the export, in blocks of the same size, read before the measurement. */
function readBlocks(lineOf: (row: EventRow) => string): Buffer[] {
  const blocks: Buffer[] = []
  let lines: string[] = []
  let size = 0
  for (const row of readRows()) {
    const line = lineOf(row)
    if (size + line.length > BLOCK_BYTES) {
      blocks.push(Buffer.from(lines.join('')))
      ;[lines, size] = [[], 0]
    }
    size += line.length
    lines.push(line)
  }
  return [...blocks, Buffer.from(lines.join(''))]
}

const clickHouseAt = (port: number): object => ({ url: `http://127.0.0.1:${port}`, user: 'u', password: 'p' })

async function writeToClickHouse(): Promise<undefined> {
  const port = await startPeer('clickhouse')
  config = clickHouseAt(port)
  const blocks = readBlocks(clickHouseLine)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  direct = () =>
    timed(async () => {
      for (const block of blocks) {
        const body = await promisify(gzip)(block, { level: 1 })
        const headers = { 'content-encoding': 'gzip', 'content-length': body.length }
        const sending = request({ host: '127.0.0.1', port, method: 'POST', path: '/', agent, headers }).end(body)
        const [response] = await once(sending, 'response')
        await once(response.resume(), 'end')
      }
    })
}

const S3_KEYS = { aws_access_key_id: 'S3RVER', aws_secret_access_key: 'S3RVER' }
const S3_BUCKET = { bucket_name: 'events', region: 'us-east-1' }
const bucketAt = (endpoint: string): object => ({ ...S3_KEYS, ...S3_BUCKET, prefix: 'ours', endpoint_url: endpoint })

async function writeToS3(): Promise<undefined> {
  const endpoint = `http://127.0.0.1:${await startPeer('s3')}`
  config = bucketAt(endpoint)
  const blocks = readBlocks(fileLine)
  const client = new S3Client({
    region: 'us-east-1',
    endpoint,
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    credentials: { accessKeyId: S3_KEYS.aws_access_key_id, secretAccessKey: S3_KEYS.aws_secret_access_key },
  })
  direct = () =>
    timed(() =>
      new Upload({
        client,
        params: { Bucket: 'events', Key: 'theirs', Body: Readable.from(blocks) },
        partSize: BLOCK_BYTES,
        queueSize: 4,
      }).done(),
    )
}

/** PostgreSQL speaks the protocol of Redshift. */
function redshiftAt(url: string): object {
  const { username: user, password, hostname: host, port, pathname } = new URL(url)
  return { user, password, host, port: Number(port), database: pathname.slice(1), table_name: 'ours' }
}

async function writeToRedshift(): Promise<() => void> {
  const server = await startPostgres()
  config = redshiftAt(server.url)
  const client = new pg.Client(server.url)
  await client.connect()
  await client.query(
    `create table theirs (uuid varchar(200), event varchar(200), properties varchar(65535), elements varchar(65535),
      "set" varchar(65535), set_once varchar(65535), distinct_id varchar(200), team_id integer, ip varchar(200),
      site_url varchar(200), timestamp timestamptz)`,
  )
  const rows = readRows().map((row) => {
    const { uuid, event, properties, distinct_id } = row
    return [uuid, event, properties, '', null, null, distinct_id, 1, null, '', isoOf(row)]
  })
  direct = () =>
    timed(async () => {
      await client.query('begin')
      for (let at = 0; at < rows.length; at += INSERT_ROWS) {
        const part = rows.slice(at, at + INSERT_ROWS)
        const tuple = (row: unknown[], i: number): string => `(${row.map((_, j) => `$${i * 11 + j + 1}`).join(',')})`
        await client.query(`insert into theirs (${COLUMNS}) values ${part.map(tuple).join(',')}`, part.flat())
      }
      await client.query('commit')
    })
  return () => void client.end().then(server.stop)
}

const benchmark = (
  type: 'ClickHouse' | 'Redshift' | 'S3Compatible',
  events: number,
  prepare: () => Promise<(() => void) | undefined>,
): Benchmark => {
  const [ours, theirs] = [`export to ${type}`, `direct to ${type}`]
  return {
    name: `export.${type.toLowerCase()}`,
    description: `Exports ${events.toLocaleString('en')} events to ${type} at least 0.7 times as fast as a program that has already read the same rows writes them to the same server.`,
    rounds: 5,
    setup: async () => {
      allowLoopback()
      workspace = await startFilled(events, 6)
      onPostgres = await startFilledOnPostgres(events, 6)
      return prepare()
    },
    variants: {
      [theirs]: (warmup) => direct(warmup),
      [ours]: exporting(type, () => workspace),
      [`${ours} from PostgreSQL`]: exporting(type, () => onPostgres),
    },
    limits: [{ subject: ours, against: theirs, atLeast: 0.7 }],
  }
}

const memoryOf = (type: string, open: () => Promise<object>): Benchmark =>
  memoryBenchmark(type, async () => {
    allowLoopback()
    return { type, config: await open() }
  })

export const warehouses: Benchmark[] = [
  ...postgresExports,
  benchmark('ClickHouse', EVENTS, writeToClickHouse),
  benchmark('S3Compatible', EVENTS, writeToS3),
  benchmark('Redshift', FEW_EVENTS, writeToRedshift),
  memoryOf('ClickHouse', async () => clickHouseAt(await startPeer('clickhouse'))),
  memoryOf('S3Compatible', async () => bucketAt(`http://127.0.0.1:${await startPeer('s3')}`)),
  memoryOf('Redshift', async () => redshiftAt((await startPostgres()).url)),
]
