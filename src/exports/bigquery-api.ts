/** The REST API of BigQuery: access tokens, tables and jobs. */
import { createSign } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { components } from '../contract/openapi.ts'
import { type DeliveryError, permanentError, retryableError, type Tools } from './destination.ts'
import {
  createRequester,
  type IncomingResponse,
  machineTime,
  type RequestLimits,
  textAt,
  valueAt,
} from './guarded-requests.ts'

type Config = components['schemas']['BigQueryConfig']

export interface BigQueryLimits extends RequestLimits {
  /** The longest wait for a job. The next attempt finds the job again. */
  job_ms: number
  first_poll_ms: number
  max_poll_ms: number
}

export const DEFAULT_ENDPOINT = 'https://bigquery.googleapis.com'
const SCOPE = 'https://www.googleapis.com/auth/bigquery'
const TOKEN_SECONDS = 3_600
/** A token is replaced this long before it expires. */
const TOKEN_MARGIN_MS = 300_000

export interface Field {
  name: string
  type: string
  defaultValueExpression?: string
}

export interface Table {
  /** The fields by lower-case name: BigQuery ignores the case. */
  fields: Map<string, string>
  location: string
  /** Differs for a table that was deleted and created again. */
  created: string
}

/** The result of a job that has ended. */
export interface Job {
  /** Null if it succeeded. */
  error: DeliveryError | null
  /** Rows that a DML statement has inserted or updated. */
  affected: number
}

export interface BigQueryApi {
  /** Null if the table does not exist. */
  getTable(table_id: string): Promise<Table | null>
  /** Does nothing if the table exists. */
  createTable(table_id: string, fields: readonly Field[], expires_ms?: number): Promise<void>
  deleteTable(table_id: string): Promise<void>
  /** Throws if the dataset does not exist. */
  getLocation(): Promise<string>
  /** Waits until the job has ended. Null if it does not exist. */
  findJob(job_id: string, location: string): Promise<Job | null>
  /** Loads a file into a table. Null if the id is in use: the caller looks for the job. */
  load(job: { id: string; location: string }, source: LoadSource): Promise<Job | null>
  query(job: { id: string; location: string }, sql: string): Promise<Job | null>
  /** Requests a token. */
  authorize(): Promise<void>
  close(): void
}

export interface LoadSource {
  table_id: string
  format: 'PARQUET' | 'NEWLINE_DELIMITED_JSON'
  body: Readable
  length: number
}

export function openBigQuery(config: Config, tools: Tools, limits: BigQueryLimits): BigQueryApi {
  const { project_id, dataset_id } = config
  const project = `/bigquery/v2/projects/${encodeURIComponent(project_id)}`
  const { authorize, endpoint, send, call, close } = createClient(config, tools, limits)
  const { findJob, started } = createJobs(call, project, limits, tools.signal)
  const dataset = `${project}/datasets/${encodeURIComponent(dataset_id)}`
  const referenceOf = ({ id, location }: { id: string; location: string }): object => ({
    projectId: project_id,
    jobId: id,
    location,
  })
  const tableReference = (tableId: string): object => ({ projectId: project_id, datasetId: dataset_id, tableId })

  return {
    authorize,
    getLocation: async () => {
      const response = await call('GET', dataset)
      throwForStatus(response)
      return textAt(response.body, 'location') ?? 'US'
    },
    getTable: async (table_id) => {
      const response = await call('GET', `${dataset}/tables/${encodeURIComponent(table_id)}`)
      if (response.status === 404) return null
      throwForStatus(response)
      const { body } = response
      const listed = valueAt(body, 'schema', 'fields')
      const fields = Array.isArray(listed) ? listed : []
      return {
        fields: new Map(
          fields.map((field) => [(textAt(field, 'name') ?? '').toLowerCase(), textAt(field, 'type') ?? '']),
        ),
        location: textAt(body, 'location') ?? 'US',
        created: textAt(body, 'creationTime') ?? '',
      }
    },
    createTable: async (table_id, fields, expires_ms) => {
      const response = await call('POST', `${dataset}/tables`, {
        tableReference: tableReference(table_id),
        schema: { fields },
        ...(expires_ms !== undefined && { expirationTime: String(machineTime() + expires_ms) }),
      })
      if (response.status !== 409) throwForStatus(response)
    },
    deleteTable: async (table_id) => {
      const response = await call('DELETE', `${dataset}/tables/${encodeURIComponent(table_id)}`)
      if (response.status !== 404) throwForStatus(response)
    },
    findJob,
    load: async (job, { table_id, format, body, length }) => {
      try {
        const url = new URL(`/upload${project}/jobs?uploadType=resumable`, endpoint)
        const session = await send(
          'POST',
          url,
          {
            jobReference: referenceOf(job),
            configuration: {
              load: {
                destinationTable: tableReference(table_id),
                sourceFormat: format,
                createDisposition: 'CREATE_NEVER',
                writeDisposition: 'WRITE_APPEND',
              },
            },
          },
          { 'x-upload-content-type': 'application/octet-stream', 'x-upload-content-length': String(length) },
        )
        if (session.status === 409) return null
        throwForStatus(session)
        const address = session.headers.location
        // The session has the bearer token: it must not go to another host.
        if (address === undefined || !URL.canParse(address) || new URL(address).origin !== endpoint.origin)
          throw retryableError('BigQuery returned an upload session on another host.')
        const response = await send('PUT', new URL(address), body, {
          'content-type': 'application/octet-stream',
          'content-length': String(length),
        })
        return await started(response, job.id, job.location)
      } finally {
        body.destroy()
      }
    },
    query: async (job, sql) => {
      const response = await call('POST', `${project}/jobs`, {
        jobReference: referenceOf(job),
        configuration: { query: { query: sql, useLegacySql: false } },
      })
      return started(response, job.id, job.location)
    },
    close,
  }
}

/** Sends requests with an access token, which is replaced before it expires. */
function createClient(config: Config, tools: Tools, limits: BigQueryLimits) {
  const requester = createRequester('BigQuery', tools, limits)
  const endpoint = new URL(config.endpoint_url ?? DEFAULT_ENDPOINT)
  let token = { value: '', expires_at: 0 }

  const authorize = async (): Promise<void> => {
    const { status, body } = await requester.send({
      method: 'POST',
      url: config.token_uri,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: signAssertion(config, machineTime()),
      }).toString(),
    })
    const value = textAt(body, 'access_token')
    const seconds = Number(valueAt(body, 'expires_in') ?? TOKEN_SECONDS)
    if (status !== 200 || value === undefined || !Number.isFinite(seconds)) throw describeTokenError(status)
    token = { value, expires_at: machineTime() + seconds * 1000 }
  }

  const send = async (
    method: string,
    url: URL,
    body?: Readable | object,
    headers: Record<string, string> = {},
  ): Promise<IncomingResponse> => {
    if (machineTime() > token.expires_at - TOKEN_MARGIN_MS) await authorize()
    const isStream = body !== undefined && 'pipe' in body
    return requester.send({
      method,
      url: url.href,
      headers: {
        authorization: `Bearer ${token.value}`,
        ...(body !== undefined && !isStream && { 'content-type': 'application/json; charset=UTF-8' }),
        ...headers,
      },
      ...(body !== undefined && { body: isStream ? body : JSON.stringify(body) }),
    })
  }
  const call = (method: string, path: string, body?: object): Promise<IncomingResponse> =>
    send(method, new URL(path, endpoint), body)
  return { authorize, endpoint, send, call, close: requester.close }
}

/** Waits for jobs of a project. */
function createJobs(
  call: ReturnType<typeof createClient>['call'],
  project: string,
  limits: BigQueryLimits,
  signal: AbortSignal,
) {
  /** Returns the ended job. */
  const waitFor = async (first: unknown, job_id: string, location: string): Promise<Job> => {
    let job = first
    const deadline = performance.now() + limits.job_ms
    for (let delay_ms = limits.first_poll_ms; textAt(job, 'status', 'state') !== 'DONE'; ) {
      if (performance.now() > deadline) throw retryableError('BigQuery has not finished the job in time.')
      await sleep(delay_ms, undefined, { signal }).catch(() => signal.throwIfAborted())
      delay_ms = Math.min(delay_ms * 2, limits.max_poll_ms)
      const next = await getJob(job_id, location)
      if (next === null) throw retryableError('The job of BigQuery has disappeared.')
      job = next
    }
    const error = valueAt(job, 'status', 'errorResult')
    return {
      error: error === undefined ? null : describeReason(textAt(error, 'reason') ?? '', textAt(error, 'message') ?? ''),
      affected: Number(textAt(job, 'statistics', 'query', 'numDmlAffectedRows') ?? 0),
    }
  }
  const getJob = async (job_id: string, location: string): Promise<unknown> => {
    const response = await call('GET', `${project}/jobs/${job_id}?location=${encodeURIComponent(location)}`)
    if (response.status === 404) return null
    throwForStatus(response)
    return response.body
  }
  /** Null for an id that is in use. */
  const started = async (response: IncomingResponse, id: string, location: string): Promise<Job | null> => {
    if (response.status === 409) return null
    throwForStatus(response)
    return waitFor(response.body, id, location)
  }
  const findJob = async (job_id: string, location: string): Promise<Job | null> => {
    const job = await getJob(job_id, location)
    return job === null ? null : waitFor(job, job_id, location)
  }
  return { findJob, started }
}

/** A signed request for an access token, valid for an hour (RFC 7523). Throws if the key is invalid. */
export function signAssertion(
  { private_key, private_key_id, client_email, token_uri }: Config,
  now_ms: number,
): string {
  const iat = Math.floor(now_ms / 1000)
  const parts = [
    { alg: 'RS256', typ: 'JWT', kid: private_key_id },
    { iss: client_email, scope: SCOPE, aud: token_uri, iat, exp: iat + TOKEN_SECONDS },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const signer = createSign('RSA-SHA256').update(parts.join('.'))
  try {
    return [...parts, signer.sign(private_key, 'base64url')].join('.')
  } catch {
    // The message of OpenSSL may quote the key.
    throw permanentError(
      '"private_key" is not a valid private key. Copy it from the JSON file of the service account.',
      'private_key',
    )
  }
}

function describeTokenError(status: number): DeliveryError {
  if (status >= 500 || status === 429) return retryableError(`The token server is temporarily unavailable (${status}).`)
  return permanentError(
    `The token server rejected the service account (${status}). Check "client_email", "private_key" and "token_uri".`,
    'client_email',
  )
}

const NOT_ALLOWED = permanentError(
  'The service account lacks a permission. Grant it BigQuery Data Editor on the dataset and BigQuery Job User on the project.',
)
const NOT_FOUND = permanentError(
  'The project, the dataset or the table does not exist. Correct "project_id", "dataset_id" or "table_id".',
  'project_id',
)
const BUSY = retryableError('BigQuery is temporarily unavailable.')
const QUOTA = retryableError('A quota of BigQuery is exhausted. Raise it, or export less often.')
const REJECTED = permanentError(
  'BigQuery rejected the rows. Check the column types of the table, or let the export create another table.',
)
const BILLING = permanentError('Billing is not enabled for the project, or its limit is reached. Check the billing.')

/** Messages by the reason in an error of the API. Reasons that are not listed are retried. */
const REASONS: Record<string, DeliveryError> = {
  accessDenied: NOT_ALLOWED,
  policyViolation: NOT_ALLOWED,
  notFound: NOT_FOUND,
  quotaExceeded: QUOTA,
  rateLimitExceeded: QUOTA,
  jobRateLimitExceeded: QUOTA,
  resourcesExceeded: QUOTA,
  invalid: REJECTED,
  invalidQuery: REJECTED,
  parseError: REJECTED,
  notImplemented: REJECTED,
  responseTooLarge: REJECTED,
  billingNotEnabled: BILLING,
  billingTierLimitExceeded: BILLING,
  blocked: permanentError('BigQuery has blocked the project. Contact the support of Google Cloud.'),
  resourceInUse: BUSY,
  stopped: retryableError('The job of BigQuery was cancelled.'),
}

/** The message decides only whether to retry: conflicts of two statements have the reason of an invalid one. */
function describeReason(reason: string, message: string): DeliveryError {
  if (/could not serialize|concurrent update/i.test(message))
    return retryableError('Another statement changed the table at the same time.')
  return Object.hasOwn(REASONS, reason) ? (REASONS[reason] ?? BUSY) : BUSY
}

function throwForStatus({ status, body }: IncomingResponse): void {
  if (status >= 200 && status < 300) return
  if (status >= 500) throw BUSY
  const reason = textAt(body, 'error', 'errors', 0, 'reason') ?? ''
  if (Object.hasOwn(REASONS, reason)) throw describeReason(reason, textAt(body, 'error', 'message') ?? '')
  if (status === 401)
    throw permanentError(
      'BigQuery rejected the access token (401). Check the service account and "token_uri".',
      'token_uri',
    )
  if (status === 403) throw NOT_ALLOWED
  if (status === 404) throw NOT_FOUND
  if (status === 408 || status === 429) throw BUSY
  throw permanentError(`BigQuery rejected the request (${status}). Check the configuration.`)
}
