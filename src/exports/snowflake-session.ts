/**
 * A session with Snowflake: the protocol of its drivers, through the outbound guard. The Node driver opens connections
 * that the guard cannot check: to metadata services of clouds, to servers of certificate revocation lists, and for
 * uploads.
 */
import { createHash, createPrivateKey, createPublicKey, createSign, type KeyObject, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { components } from '../contract/openapi.ts'
import { DeliveryError, permanentError, retryableError, type Tools } from './destination.ts'
import {
  createRequester,
  type IncomingResponse,
  machineTime,
  type RequestLimits,
  textAt,
  valueAt,
} from './guarded-requests.ts'
import { uploadRequest } from './snowflake-stages.ts'

type Config = components['schemas']['SnowflakeConfig']

export interface SnowflakeLimits extends RequestLimits {
  /** The longest time of a statement. */
  statement_ms: number
  poll_ms: number
}

/** Servers accept known drivers only, and send results to this one as JSON. */
const CLIENT = { CLIENT_APP_ID: 'JavaScript', CLIENT_APP_VERSION: '3.3.0' }
const TOKEN_SECONDS = 120
const LOCK_SECONDS = 600
/** How long closing the session of an aborted attempt may take. */
const CLEANUP_MS = 3_000
const SESSION_EXPIRED = '390112'
const IN_PROGRESS = new Set(['333333', '333334'])

export interface SnowflakeSession {
  /** Returns the rows of the result as text. */
  run(sql: string): Promise<(string | null)[][]>
  /** Uploads a file into a folder of the user's stage. */
  put(file: string, folder: string): Promise<void>
  /** Ends the session, which rolls back. Never throws. */
  close(): Promise<void>
}

/** The address of an account. `account` is an account name with its organization, or a locator with its region. */
export function accountUrl({ account, endpoint_url }: Pick<Config, 'account' | 'endpoint_url'>): URL {
  if (endpoint_url) return new URL(endpoint_url)
  const domain = /\.cn-[a-z0-9-]+(\.aws)?$/i.test(account) ? 'snowflakecomputing.cn' : 'snowflakecomputing.com'
  // Certificates do not cover names with underscores, so each account also has a name with hyphens.
  return new URL(`https://${account.toLowerCase().replaceAll('_', '-')}.${domain}`)
}

/** Throws DeliveryError if the login fails. */
export async function openSession(config: Config, tools: Tools, limits: SnowflakeLimits): Promise<SnowflakeSession> {
  const requester = createRequester('Snowflake', tools, limits)
  const base = accountUrl(config)
  let tokens = { session: '', master: '' }
  let sequence = 0

  const call = async (
    method: string,
    path: string,
    token: string,
    body?: object,
    through = requester,
  ): Promise<IncomingResponse> => {
    const url = new URL(path, base)
    // The server chooses some paths. The token must not go to another host.
    if (url.origin !== base.origin) throw UNAVAILABLE
    return through.send({
      method,
      url: url.href,
      headers: {
        accept: path.startsWith('/queries') ? 'application/snowflake' : 'application/json',
        'content-type': 'application/json',
        ...(token && { authorization: `Snowflake Token="${token}"` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  }
  /** Throws for responses without a result. */
  const callFor = async (method: string, path: string, token: string, body?: object): Promise<unknown> => {
    const { status, body: result } = await call(method, path, token, body)
    if (status !== 200) throw describeStatus(status)
    return result
  }
  const setTokens = (result: unknown, master: string, session: string): void => {
    const found = { session: textAt(result, 'data', session), master: textAt(result, 'data', master) }
    if (found.session === undefined || found.master === undefined)
      throw retryableError('Snowflake did not return a session.')
    tokens = { session: found.session, master: found.master }
  }

  const login = async (): Promise<void> => {
    const result = await callFor('POST', `/session/v1/login-request?requestId=${randomUUID()}`, '', {
      data: {
        ...CLIENT,
        ACCOUNT_NAME: accountName(config.account),
        LOGIN_NAME: config.user,
        ...(config.authentication_type === 'keypair'
          ? { AUTHENTICATOR: 'SNOWFLAKE_JWT', TOKEN: signToken(config, machineTime()) }
          : { PASSWORD: config.password }),
        CLIENT_ENVIRONMENT: { APPLICATION: 'workspace_admin' },
        SESSION_PARAMETERS: {
          TIMEZONE: 'UTC',
          QUERY_TAG: 'workspace-admin',
          STATEMENT_TIMEOUT_IN_SECONDS: Math.ceil(limits.statement_ms / 1000),
          LOCK_TIMEOUT: LOCK_SECONDS,
        },
      },
    })
    if (valueAt(result, 'success') !== true) throw describeLoginError(textAt(result, 'code') ?? '')
    setTokens(result, 'masterToken', 'token')
  }
  const renew = async (): Promise<void> => {
    const body = { requestType: 'RENEW', oldSessionToken: tokens.session }
    const result = await callFor('POST', `/session/token-request?requestId=${randomUUID()}`, tokens.master, body)
    if (valueAt(result, 'success') !== true) throw SESSION_ENDED
    setTokens(result, 'masterToken', 'sessionToken')
  }
  /** Renews the session once: its token is valid for an hour. */
  const withRenewal = async (send: () => Promise<unknown>): Promise<unknown> => {
    const result = await send()
    if (textAt(result, 'code') !== SESSION_EXPIRED) return result
    await renew()
    return send()
  }

  const execute = async (sqlText: string): Promise<unknown> => {
    const path = `/queries/v1/query-request?requestId=${randomUUID()}`
    const statement = { sqlText, asyncExec: false, sequenceId: ++sequence, disableOfflineChunks: true }
    let result = await withRenewal(() => callFor('POST', path, tokens.session, statement))
    const deadline = performance.now() + limits.statement_ms
    while (IN_PROGRESS.has(textAt(result, 'code') ?? '')) {
      const next = textAt(result, 'data', 'getResultUrl') ?? ''
      if (next === '' || performance.now() > deadline)
        throw retryableError('Snowflake has not finished a statement in time.')
      await sleep(limits.poll_ms, undefined, { signal: tools.signal }).catch(() => tools.signal.throwIfAborted())
      result = await withRenewal(() => callFor('GET', next, tokens.session))
    }
    if (valueAt(result, 'success') === true) return valueAt(result, 'data')
    throw describeStatementError(textAt(result, 'code') ?? '', textAt(result, 'data', 'sqlState') ?? '')
  }

  try {
    await login()
  } catch (error) {
    requester.close()
    throw error
  }
  return {
    run: async (sql) => {
      const rows = valueAt(await execute(sql), 'rowset')
      return Array.isArray(rows) ? rows : []
    },
    put: async (file, folder) => {
      const name = file.split('/').at(-1) ?? ''
      const instructions = await execute(
        `put 'file:///tmp/${name}' '@~/${folder}' auto_compress = false source_compression = gzip overwrite = true`,
      )
      const { size } = await stat(file)
      const sha256 = createHash('sha256')
      for await (const chunk of createReadStream(file)) sha256.update(chunk)
      const source = { name, size, digest: sha256.digest('base64'), open: () => createReadStream(file) }
      const { status } = await requester.send(
        uploadRequest(instructions, source, base.protocol, new Date(machineTime())),
      )
      if (status < 200 || status >= 300) throw describeUploadError(status)
    },
    close: async () => {
      // The session is closed also when the attempt was aborted.
      const closer = tools.signal.aborted
        ? createRequester('Snowflake', { ...tools, signal: AbortSignal.timeout(CLEANUP_MS) }, limits)
        : requester
      const path = `/session?delete=true&requestId=${randomUUID()}`
      await call('POST', path, tokens.session, {}, closer).catch(() => undefined)
      closer.close()
      requester.close()
    },
  }
}

/** The account without its region. */
const accountName = (account: string): string => account.split('.', 1)[0]?.toUpperCase() ?? ''

/** Null if the key or its passphrase is invalid. */
export function readPrivateKey({ private_key = '', private_key_passphrase }: Config): KeyObject | null {
  try {
    const passphrase = private_key_passphrase === undefined ? {} : { passphrase: private_key_passphrase }
    return createPrivateKey({ key: private_key, ...passphrase })
  } catch {
    // The message of OpenSSL may quote the key.
    return null
  }
}

export function signToken(config: Config, now_ms: number): string {
  const key = readPrivateKey(config)
  if (!key)
    throw permanentError('"private_key" or its passphrase is not valid. Copy the key in PEM format.', 'private_key')
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
  const subject = `${accountName(config.account)}.${config.user.toUpperCase()}`
  const iat = Math.floor(now_ms / 1000)
  const fingerprint = `SHA256:${createHash('sha256').update(spki).digest('base64')}`
  const parts = [
    { alg: 'RS256', typ: 'JWT' },
    { iss: `${subject}.${fingerprint}`, sub: subject, iat, exp: iat + TOKEN_SECONDS },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  return [...parts, createSign('RSA-SHA256').update(parts.join('.')).sign(key, 'base64url')].join('.')
}

const SESSION_ENDED = retryableError('The session with Snowflake has ended.')
const UNAVAILABLE = retryableError('Snowflake is temporarily unavailable.')
const WRONG_CREDENTIALS = permanentError(
  'Snowflake rejected the user or its credentials. Check "account", "user" and the password or the key.',
  'account',
)
const NOT_ALLOWED = permanentError(
  'An object does not exist, or the role lacks a permission. Check "database", "schema", "warehouse" and "role". Grant the role USAGE on them, CREATE TABLE on the schema, and INSERT on the table.',
  'database',
)
const WRONG_VALUE = permanentError(
  'A value does not fit its column. Change the type of the column, or let the export create another table.',
)

/** Messages by code; a code of a login that is not listed is permanent. */
const LOGIN_ERRORS: [codes: RegExp, error: DeliveryError][] = [
  [/^39010[0-9]$|^390144$|^39430\d$/, WRONG_CREDENTIALS],
  [
    /^39018[69]$|^390191$/,
    permanentError('The role does not exist, or the user may not use it. Correct "role".', 'role'),
  ],
  [/^390201$/, NOT_ALLOWED],
  [/^39042\d$/, permanentError('The network policy of the account does not allow the address of this server.')],
  [/^39019[0-9]$|^390300$/, UNAVAILABLE],
]

/** Messages by code or SQLSTATE; the first match wins. Other errors are retried. */
const STATEMENT_ERRORS: [codes: RegExp, states: RegExp, error: DeliveryError][] = [
  [/^(390104|39011[0-9])$/, /^$/, SESSION_ENDED],
  [/^(002003|002043|003001|000606|090105|090106)$/, /^(42501|42S02|02000|57P03)$/, NOT_ALLOWED],
  [
    /^(000904|000913)$/,
    /^42S22$/,
    permanentError('The table has other columns. Add the missing columns, or use another table.'),
  ],
  [/^(000625|000603)$/, /^40/, retryableError('Snowflake cancelled the statement, because of a lock or a conflict.')],
  [/^000604$/, /^57/, retryableError('Snowflake cancelled a statement, or it took too long.')],
  [/^(1000\d\d|0022\d\d)$/, /^22/, WRONG_VALUE],
  [/^00(1003|2\d\d\d)$/, /^42/, permanentError('Snowflake rejected a statement. Check the table and its columns.')],
]

const suffix = (code: string): string => (/^\d{3,8}$/.test(code) ? ` (${code})` : '')

function describeLoginError(code: string): DeliveryError {
  const known = LOGIN_ERRORS.find(([codes]) => codes.test(code))?.[1]
  return known ?? permanentError(`Snowflake rejected the login${suffix(code)}. Check the settings of the user.`)
}

/** Keeps the code for the caller, which distinguishes a missing table. */
export class StatementError extends DeliveryError {
  constructor(
    { message, options }: DeliveryError,
    readonly code: string,
  ) {
    super(message, options)
  }
}

function describeStatementError(code: string, state: string): DeliveryError {
  const known = STATEMENT_ERRORS.find(
    ([codes, states]) => codes.test(code) || (state !== '' && states.test(state)),
  )?.[2]
  return new StatementError(known ?? retryableError(`A statement failed in Snowflake${suffix(code)}.`), code)
}

function describeStatus(status: number): DeliveryError {
  if (status >= 500 || status === 408 || status === 429) return UNAVAILABLE
  if (status === 403 || status === 404)
    return permanentError(`Snowflake does not know the account (${status}). Correct "account".`, 'account')
  if (status === 401) return SESSION_ENDED
  return permanentError(`Snowflake rejected the request (${status}). Check "account".`, 'account')
}

/** Credentials of a stage expire, so the next attempt gets new ones. */
const describeUploadError = (status: number): DeliveryError =>
  retryableError(`The stage of Snowflake did not accept a file (${status}).`)
