/**
 * The documented REST API of BigQuery on loopback: tokens, datasets, tables, resumable uploads and jobs, with the rows in
 * DuckDB. https://cloud.google.com/bigquery/docs/reference/rest
 */
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Test } from 'tap'
import { itemAt } from '../assertions/items.ts'
import { freshFolder } from '../folders.ts'
import type { Json } from '../json.ts'
import type { Schemas } from '../response-bodies.ts'

export type BigQueryStep =
  | 'token'
  | 'dataset'
  | 'table.get'
  | 'table.create'
  | 'table.delete'
  | 'upload.start'
  | 'upload.put'
  | 'query'
  | 'job.get'

/** `after` applies the request first. Without a status, the connection is closed, or left open if it `hangs`. */
export interface BigQueryFault {
  when: 'before' | 'after'
  status?: number
  reason?: string
  hangs?: boolean
}

export interface BigQueryStub {
  url: string
  /** A config of the export, with the service account that the stub knows. */
  config: Schemas['BigQueryConfig']
  /** The public key of the service account is registered for this private key only. */
  requests: { step: BigQueryStep; authorization: string | undefined; body: Json }[]
  jobs: Map<string, StoredJob>
  fault: (step: BigQueryStep) => BigQueryFault | undefined
  /** The reason with which a job ends. */
  failJob: (job: StoredJob) => string | undefined
  /** How long jobs take. */
  job_ms: number
  /** The rows of a query, whose types the test knows. */
  query<Row = Record<string, string>>(text: string): Promise<Row[]>
  /** The schema of a table. */
  tables: Map<string, { name: string; type: string }[]>
  /** Resolves when a request hangs. */
  hanging: Promise<void>
}

export interface StoredJob {
  id: string
  kind: 'load' | 'query'
  state: 'PENDING' | 'RUNNING' | 'DONE'
  reason?: string
  table?: string
  sql?: string
  affected: number
}

const TYPES: Record<string, string> = {
  STRING: 'varchar',
  INTEGER: 'bigint',
  FLOAT: 'double',
  BOOLEAN: 'boolean',
  TIMESTAMP: 'timestamptz',
  DATE: 'date',
  JSON: 'json',
}
const STATUS: Record<string, number> = {
  accessDenied: 403,
  quotaExceeded: 403,
  rateLimitExceeded: 403,
  billingNotEnabled: 403,
  notFound: 404,
  duplicate: 409,
  invalid: 400,
  backendError: 503,
}
const TOKEN = 'ya29.a-token'
/** Text of the peer, which must never reach an error of the export. */
export const PEER_TEXT = 'text-of-the-peer'
const KEY = generateKeyPairSync('rsa', { modulusLength: 2048 })

class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly reason: string,
  ) {
    super(reason)
  }
}

export async function openBigQueryStub(t: Test, dataset = 'analytics'): Promise<BigQueryStub> {
  const folder = freshFolder(t)
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const duckdb = await instance.connect()
  await duckdb.run(`set timezone = 'UTC'; create schema "${dataset}"`)
  const sessions = new Map<string, Json>()
  const created = new Map<string, string>()
  const email = 'exporter@my-project.iam.gserviceaccount.com'
  let counter = 0
  let markHanging = (): void => undefined
  const hanging = new Promise<void>((resolve) => {
    markHanging = resolve
  })
  const stub: BigQueryStub = {
    url: '',
    config: {} as never,
    requests: [],
    jobs: new Map(),
    fault: () => undefined,
    failJob: () => undefined,
    job_ms: 0,
    query: async (text) => (await duckdb.runAndReadAll(text)).getRowObjectsJson() as never[],
    tables: new Map(),
    hanging,
  }

  const verifyAssertion = (assertion: string): void => {
    const [head = '', claims = '', signature = ''] = assertion.split('.')
    const { alg, kid } = JSON.parse(Buffer.from(head, 'base64url').toString())
    const { iss, aud, scope, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString())
    const publicKey = createPublicKey(KEY.publicKey.export({ format: 'pem', type: 'spki' }))
    const valid =
      alg === 'RS256' &&
      kid === 'key-1' &&
      iss === email &&
      aud === `${stub.url}/token` &&
      scope.includes('/auth/bigquery') &&
      exp - iat <= 3600 &&
      Math.abs(iat - Date.now() / 1000) < 300 &&
      verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url'))
    if (!valid) throw new ApiError(400, 'invalid_grant')
  }

  const translate = (sql: string): string =>
    sql
      .replace(/`[^`]+`\.`([^`]+)`\.`([^`]+)`/g, '"$1"."$2"')
      .replaceAll('`', '"')
      .replace(/parse_json\(([^,]+), wide_number_mode=>'round'\)/g, '($1)::json')
      .replaceAll('current_timestamp()', 'now()')

  /** Statements run one at a time. Each is atomic. */
  let tail: Promise<unknown> = Promise.resolve()
  const runExclusive = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = tail.then(work)
    tail = result.catch(() => undefined)
    return result
  }

  const applyJob = async (job: StoredJob, file: string | undefined, format: string): Promise<void> => {
    job.state = 'RUNNING'
    if (stub.job_ms) await new Promise((done) => setTimeout(done, stub.job_ms).unref())
    try {
      job.reason = stub.failJob(job)
      if (job.reason === undefined) {
        const source = format === 'PARQUET' ? 'read_parquet' : 'read_json'
        const text = file
          ? `insert into "${dataset}"."${job.table}" by name select * from ${source}('${file}')`
          : translate(job.sql!)
        const result = await runExclusive(() => duckdb.run(text))
        job.affected = Number(result.rowsChanged)
      }
    } catch {
      job.reason = file ? 'invalid' : 'invalidQuery'
    }
    if (file) rmSync(file, { force: true })
    job.state = 'DONE'
  }
  const resourceOf = (job: StoredJob): object => ({
    kind: 'bigquery#job',
    jobReference: { projectId: 'my-project', jobId: job.id, location: 'EU' },
    status: {
      state: job.state,
      ...(job.state === 'DONE' &&
        job.reason !== undefined && { errorResult: { reason: job.reason, message: PEER_TEXT } }),
    },
    statistics: { ...(job.kind === 'query' && { query: { numDmlAffectedRows: String(job.affected) } }) },
  })
  const addJob = (job: StoredJob, file?: string, format = ''): StoredJob => {
    if (stub.jobs.has(job.id)) throw new ApiError(409, 'duplicate')
    stub.jobs.set(job.id, job)
    void applyJob(job, file, format)
    return job
  }
  const requireTable = (name: string): { name: string; type: string }[] => {
    const fields = stub.tables.get(name)
    if (!fields) throw new ApiError(404, 'notFound')
    return fields
  }

  const tableOf = (name: string): object => ({
    schema: { fields: requireTable(name) },
    location: 'EU',
    creationTime: created.get(name),
  })
  const createTable = async ({ tableReference, schema }: Json): Promise<object> => {
    const name: string = tableReference.tableId
    if (stub.tables.has(name)) throw new ApiError(409, 'duplicate')
    stub.tables.set(name, schema.fields)
    created.set(name, String(++counter))
    const columns = schema.fields.map(
      (field: Json) => `"${field.name}" ${TYPES[field.type]} ${field.defaultValueExpression ? 'default now()' : ''}`,
    )
    await runExclusive(() => duckdb.run(`create table "${dataset}"."${name}" (${columns.join(', ')})`))
    return tableOf(name)
  }
  const deleteTable = async (name: string): Promise<object> => {
    requireTable(name)
    stub.tables.delete(name)
    await runExclusive(() => duckdb.run(`drop table "${dataset}"."${name}"`))
    return {}
  }

  /** The step of a request and the function that performs it. A file is the body of an upload. */
  type Action = () => Promise<object>
  const route = (request: IncomingMessage, body: Json, file: string | undefined): [BigQueryStep, Action] => {
    const { pathname, searchParams } = new URL(String(request.url), stub.url)
    const base = '/bigquery/v2/projects/my-project'
    const tables = `${base}/datasets/${dataset}/tables`
    const method = String(request.method)
    if (pathname === '/token')
      return [
        'token',
        async () => {
          verifyAssertion(new URLSearchParams(body).get('assertion') ?? '')
          return { access_token: TOKEN, expires_in: 3599, token_type: 'Bearer' }
        },
      ]
    const authorized =
      (work: Action): Action =>
      async () => {
        if (request.headers.authorization !== `Bearer ${TOKEN}`) throw new ApiError(401, 'authError')
        return work()
      }
    const last = decodeURIComponent(itemAt(pathname.split('/'), -1))
    if (method === 'GET' && pathname === `${base}/datasets/${dataset}`)
      return ['dataset', authorized(async () => ({ location: 'EU' }))]
    if (method === 'GET' && pathname.startsWith(`${tables}/`))
      return ['table.get', authorized(async () => tableOf(last))]
    if (method === 'POST' && pathname === tables) return ['table.create', authorized(() => createTable(body))]
    if (method === 'DELETE' && pathname.startsWith(`${tables}/`))
      return ['table.delete', authorized(() => deleteTable(last))]
    if (method === 'GET' && pathname.startsWith(`${base}/jobs/`))
      return [
        'job.get',
        authorized(async () => {
          const job = stub.jobs.get(last)
          if (!job || searchParams.get('location') !== 'EU') throw new ApiError(404, 'notFound')
          return resourceOf(job)
        }),
      ]
    if (method === 'POST' && pathname === `${base}/jobs`)
      return [
        'query',
        authorized(async () => {
          const { jobReference, configuration } = body
          const job = addJob({
            id: jobReference.jobId,
            kind: 'query',
            state: 'PENDING',
            sql: configuration.query.query,
            affected: 0,
          })
          return resourceOf(job)
        }),
      ]
    if (method === 'POST' && pathname === `/upload${base}/jobs`)
      return [
        'upload.start',
        authorized(async () => {
          if (stub.jobs.has(body.jobReference.jobId)) throw new ApiError(409, 'duplicate')
          requireTable(body.configuration.load.destinationTable.tableId)
          const id = String(++counter)
          sessions.set(id, body)
          return { location: `${stub.url}/upload${base}/jobs?uploadType=resumable&upload_id=${id}` }
        }),
      ]
    if (method === 'PUT' && pathname === `/upload${base}/jobs`)
      return [
        'upload.put',
        authorized(async () => {
          const { jobReference, configuration } = sessions.get(searchParams.get('upload_id') ?? '') ?? {}
          const { destinationTable, sourceFormat } = configuration.load
          const job: StoredJob = {
            id: jobReference.jobId,
            kind: 'load',
            state: 'PENDING',
            table: destinationTable.tableId,
            affected: 0,
          }
          return resourceOf(addJob(job, file, sourceFormat))
        }),
      ]
    return ['dataset', authorized(async () => Promise.reject(new ApiError(404, 'notFound')))]
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body: Json = {}
    let file: string | undefined
    if (request.method === 'PUT') {
      file = join(folder, `upload-${++counter}`)
      await pipeline(request, createWriteStream(file))
    } else {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      body = request.headers['content-type']?.includes('json') ? JSON.parse(text) : text
    }
    const [step, action] = route(request, body, file)
    stub.requests.push({ step, authorization: request.headers.authorization, body })
    const fault = stub.fault(step)
    const fail = (status: number, reason: string): void => {
      const error = { code: status, message: PEER_TEXT, errors: [{ reason, message: PEER_TEXT }] }
      const text = step === 'token' ? { error: reason, error_description: PEER_TEXT } : { error }
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(text))
    }
    const inject = (): void => {
      if (fault?.hangs) markHanging()
      else if (fault?.status === undefined && fault?.reason === undefined) request.socket.destroy()
      else fail(fault.status ?? STATUS[fault.reason!]!, fault.reason ?? 'backendError')
    }
    if (fault?.when === 'before') return inject()
    try {
      const { location, ...result } = (await action()) as { location?: string }
      if (fault) return inject()
      const isSession = step === 'upload.start'
      response
        .writeHead(200, { 'content-type': 'application/json', ...(isSession && location && { location }) })
        .end(JSON.stringify(isSession ? {} : { ...result, location }))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      fail(error.status, error.reason)
    }
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    await tail
    duckdb.closeSync()
    instance.closeSync()
  })
  stub.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  stub.config = {
    project_id: 'my-project',
    dataset_id: dataset,
    private_key: String(KEY.privateKey.export({ format: 'pem', type: 'pkcs8' })),
    private_key_id: 'key-1',
    client_email: email,
    token_uri: `${stub.url}/token`,
    endpoint_url: stub.url,
  }
  return stub
}
