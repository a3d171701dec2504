/**
 * The part of Snowflake's driver protocol that exports use, on loopback: login, statements, stages in three kinds of
 * storage. DuckDB runs the statements. `snowflake-sdk` is a client of this server in test/exports/snowflake.test.ts.
 */
import {
  createDecipheriv,
  createHash,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  randomUUID,
  verify,
} from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { Test } from 'tap'
import { defined, itemAt } from '../assertions/items.ts'
import { freshFolder } from '../folders.ts'
import type { Json } from '../json.ts'
import type { Schemas } from '../response-bodies.ts'

export type StageKind = 'S3' | 'AZURE' | 'GCS'

/** `login`, `upload`, `renew`, or the first word of a statement. */
export type SnowflakeStep = string

/** `after` applies the request first. Without a status or code, the connection is closed, or left open if it `hangs`. */
export interface SnowflakeFault {
  when: 'before' | 'after'
  status?: number
  code?: string
  state?: string
  hangs?: boolean
}

export interface SnowflakeStub {
  url: string
  config: Schemas['SnowflakeConfig']
  keypair: Schemas['SnowflakeConfig']
  steps: SnowflakeStep[]
  statements: string[]
  logins: Json[]
  fault: (step: SnowflakeStep, sql: string) => SnowflakeFault | undefined
  stage: StageKind
  encrypts: boolean
  /** How long statements take. */
  statement_ms: number
  /** Whether the results of statements are fetched later. */
  isLate: boolean
  /** The next statement finds its session token expired. */
  expireToken(): void
  /** Statements that are not finished. */
  active: number
  files: Map<string, { path: string; modified: number }>
  /** The rows of a query, whose types the test knows. */
  query<Row = Record<string, string>>(text: string): Promise<Row[]>
}

export const PEER_TEXT = 'text-of-the-peer'
const KEY = generateKeyPairSync('rsa', { modulusLength: 2048 })
const PASSPHRASE = 'a passphrase'
const MASTER_KEY = randomBytes(16)
const AWS = { AWS_KEY_ID: 'AKIDSTAGE', AWS_SECRET_KEY: 'stage-secret', AWS_TOKEN: 'stage-token' }
const SAS = '?sv=2021-08-06&sig=stage-signature'

interface Session {
  token: string
  master: string
  connection: DuckDBConnection
  inTransaction: boolean
  socket?: unknown
}

class StatementFailure extends Error {
  constructor(
    readonly code: string,
    readonly state: string,
  ) {
    super(code)
  }
}

export async function openSnowflakeStub(t: Test): Promise<SnowflakeStub> {
  const folder = freshFolder(t)
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const own = await instance.connect()
  await own.run('create schema "PUBLIC"')
  const sessions = new Map<string, Session>()
  const pending = new Map<string, Promise<object>>()
  let counter = 0
  let isExpired = false
  const stub: SnowflakeStub = {
    url: '',
    config: {} as never,
    keypair: {} as never,
    steps: [],
    statements: [],
    logins: [],
    fault: () => undefined,
    stage: 'S3',
    encrypts: true,
    statement_ms: 0,
    isLate: false,
    expireToken: () => {
      isExpired = true
    },
    active: 0,
    files: new Map(),
    query: async (text) => (await own.runAndReadAll(text)).getRowObjectsJson() as never[],
  }

  const isValidToken = (token: string): boolean => {
    const [head = '', claims = '', signature = ''] = token.split('.')
    const { iss, sub, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString())
    const spki = KEY.publicKey.export({ format: 'der', type: 'spki' })
    const fingerprint = createHash('sha256').update(spki).digest('base64')
    const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' })
    // The Node driver counts in milliseconds, the others in seconds.
    const unit = iat > 1e11 ? 1 : 1000
    return (
      sub === 'MYORG-ACCOUNT.EXPORTER' &&
      iss === `${sub}.SHA256:${fingerprint}` &&
      Math.abs(iat * unit - Date.now()) < 60_000 &&
      (exp - iat) * unit <= 3_600_000 &&
      verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url'))
    )
  }
  const login = async ({ data }: Json): Promise<object> => {
    stub.logins.push(data)
    const valid =
      data.ACCOUNT_NAME.toUpperCase() === 'MYORG-ACCOUNT' &&
      data.LOGIN_NAME === 'exporter' &&
      (data.AUTHENTICATOR === 'SNOWFLAKE_JWT' ? isValidToken(data.TOKEN) : data.PASSWORD === 'a password')
    if (!valid) throw new StatementFailure(data.TOKEN ? '390144' : '390100', '')
    const session: Session = {
      token: randomUUID(),
      master: randomUUID(),
      connection: await instance.connect(),
      inTransaction: false,
    }
    sessions.set(session.token, session)
    const { token, master: masterToken } = session
    return {
      token,
      masterToken,
      validityInSeconds: 3600,
      masterValidityInSeconds: 14400,
      parameters: [],
      sessionInfo: {},
    }
  }

  const filesIn = (prefix: string): string[] =>
    [...stub.files.keys()].filter((name) => name.startsWith(`${prefix.replace(/\/+$/, '')}/`)).sort()

  const instructions = (source: string, path: string): object => {
    const name = itemAt(source.split('/'), -1)
    const location = `bucket/stages/user/${path}/`
    const target = `${stub.url}/storage/${location}${name}`
    const creds = { S3: AWS, AZURE: { AZURE_SAS_TOKEN: SAS }, GCS: {} }[stub.stage]
    return {
      command: 'UPLOAD',
      operation: 'Node',
      src_locations: [source],
      parallel: 1,
      threshold: 1e9,
      autoCompress: false,
      overwrite: true,
      sourceCompression: 'gzip',
      clientShowEncryptionParameter: true,
      ...(stub.encrypts && {
        encryptionMaterial: { queryStageMasterKey: MASTER_KEY.toString('base64'), queryId: 'q', smkId: 17 },
      }),
      stageInfo: {
        locationType: stub.stage,
        location,
        path: `${path}/`,
        region: 'eu-central-1',
        storageAccount: null,
        endPoint: stub.stage === 'AZURE' ? `${stub.url}/storage` : `${new URL(stub.url).host}`,
        presignedUrl: stub.stage === 'GCS' ? `${target}?X-Goog-Signature=s` : null,
        creds,
        isClientSideEncrypted: stub.encrypts,
      },
    }
  }

  const translate = (sql: string): string =>
    sql
      .replace(/"DB"\."PUBLIC"\.("workspace_admin_(?:staging|test)_)/g, '$1')
      .replaceAll('"DB".', '')
      .replace(/^create temporary table (\S+) like (\S+)$/, 'create temp table $1 as select * from $2 limit 0')
      .replaceAll('current_timestamp()', 'now()')
      .replace(/\bvariant\b/g, 'json')
      .replace(
        /^select to_varchar\(created\) from information_schema\.tables where table_schema/,
        'select table_oid::varchar from duckdb_tables() where schema_name',
      )
      .replace(
        'select column_name, data_type from',
        "select column_name, case data_type when 'JSON' then 'VARIANT' else data_type end from",
      )

  /** The result has a row per file. */
  const copy = async (session: Session, sql: string): Promise<unknown[][]> => {
    const [, table = '', names = '', values = '', path = ''] =
      /^copy into (.+?) \((".*?")\) from \(select (.*) from @~\/(\S+)\) file_format/.exec(sql) ?? []
    const files = filesIn(path).map((name) => `'${defined(stub.files.get(name)).path}'`)
    if (files.length === 0) return [['Copy executed with 0 files processed.']]
    const count = values.split(',').length
    const columns = Array.from({ length: count }, (_, i) => `'c${i + 1}': 'VARCHAR'`)
    const cells = values.replace(/parse_json\(\$(\d+)\)/g, 'c$1::json').replace(/\$(\d+)/g, 'c$1')
    const rows: unknown[][] = []
    for (const file of files) {
      const reader = `read_csv(${file}, columns = {${columns}}, auto_detect = false, header = false, delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false, compression = 'gzip', new_line = '\\n', max_line_size = 20000000)`
      const { rowsChanged } = await session.connection.run(
        `insert into ${table} (${names}) select ${cells} from ${reader}`,
      )
      rows.push([file, 'LOADED', String(rowsChanged), String(rowsChanged)])
    }
    return rows
  }

  const execute = async (session: Session, sql: string): Promise<object> => {
    const rows = (rowset: unknown[][], names = ['value']): object => ({
      queryId: randomUUID(),
      rowtype: names.map((name) => ({ name, type: 'text', nullable: true, scale: null, precision: null, length: 100 })),
      rowset,
      total: rowset.length,
      returned: rowset.length,
      queryResultFormat: 'json',
      parameters: [],
      statementTypeId: 4096,
    })
    const [, used, name] = /^use (role|warehouse) "(.*)"$/.exec(sql) ?? []
    if (used) {
      if (name !== { role: 'EXPORTER', warehouse: 'WH' }[used]) throw new StatementFailure('002043', '02000')
      return rows([['Statement executed successfully.']])
    }
    const put = /^put '?file:\/\/([^'\s]+)'? '?@~\/([^'\s]+)'?/i.exec(sql)
    if (put) return instructions(itemAt(put, 1), itemAt(put, 2))
    const [, listed] = /^list @~\/(\S*)$/.exec(sql) ?? []
    if (listed !== undefined)
      return rows(
        filesIn(listed).map((file) => [
          file,
          '1',
          'md5',
          new Date(defined(stub.files.get(file)).modified).toUTCString(),
        ]),
        ['name', 'size', 'md5', 'last_modified'],
      )
    const [, removed] = /^remove @~\/(\S*)$/.exec(sql) ?? []
    if (removed !== undefined) {
      for (const file of filesIn(removed)) stub.files.delete(file)
      return rows([])
    }
    try {
      const text = translate(sql)
      if (text.startsWith('copy'))
        return rows(await copy(session, text), ['file', 'status', 'rows_parsed', 'rows_loaded'])
      const result = await session.connection.runAndReadAll(text)
      if (text === 'begin transaction') session.inTransaction = true
      if (text === 'commit' || text === 'rollback') session.inTransaction = false
      if (text.startsWith('merge')) return rows([[String(result.rowsChanged)]])
      const found = result.getRowsJson().map((row) => row.map((value) => (value === null ? null : String(value))))
      return rows(found, result.columnNames())
    } catch (error) {
      const message = String(error)
      if (/does not exist/.test(message)) throw new StatementFailure('002003', '42S02')
      if (/conflict/i.test(message)) throw new StatementFailure('000625', '57014')
      if (/Conversion|convert|JSON/i.test(message)) throw new StatementFailure('100038', '22018')
      throw new StatementFailure('001003', '42000')
    }
  }

  /** Statements run one at a time, as DuckDB does. */
  let tail: Promise<unknown> = Promise.resolve()
  const run = (session: Session, sql: string): Promise<object> => {
    stub.active++
    const result = tail
      .then(() => new Promise((done) => setTimeout(done, stub.statement_ms).unref()))
      .then(() => execute(session, sql))
      .finally(() => stub.active--)
    tail = result.catch(() => undefined)
    return result
  }
  /** Snowflake aborts the transaction of a client that is gone. */
  const abandon = (session: Session): void => {
    tail = tail.then(async () => {
      if (session.inTransaction) await session.connection.run('rollback').catch(() => undefined)
      session.inTransaction = false
    })
  }

  const verifyUpload = (request: IncomingMessage): void => {
    const { pathname, search } = new URL(String(request.url), stub.url)
    const { headers } = request
    if (stub.stage === 'AZURE') {
      if (search !== SAS || headers['x-ms-blob-type'] !== 'BlockBlob') throw new Error('wrong token')
      return
    }
    if (stub.stage === 'GCS') {
      if (search !== '?X-Goog-Signature=s' || headers.authorization) throw new Error('wrong signature')
      return
    }
    const [, date = '', names = '', signature = ''] =
      /Credential=AKIDSTAGE\/(\d{8})\/eu-central-1\/s3\/aws4_request, SignedHeaders=(\S+), Signature=(\w+)/.exec(
        headers.authorization ?? '',
      ) ?? []
    const payload = String(headers['x-amz-content-sha256'])
    const lines = names.split(';').map((name) => `${name}:${headers[name]}\n`)
    const canonical = ['PUT', pathname, search.slice(1), lines.join(''), names, payload].join('\n')
    const text = `AWS4-HMAC-SHA256\n${headers['x-amz-date']}\n${date}/eu-central-1/s3/aws4_request\n${createHash('sha256').update(canonical).digest('hex')}`
    const key = [date, 'eu-central-1', 's3', 'aws4_request'].reduce<string | Buffer>(
      (from, value) => createHmac('sha256', from).update(value).digest(),
      `AWS4${AWS.AWS_SECRET_KEY}`,
    )
    const isSigned = createHmac('sha256', key).update(text).digest('hex') === signature
    if (!isSigned || headers['x-amz-security-token'] !== AWS.AWS_TOKEN) throw new Error('wrong signature')
  }
  const decrypt = (request: IncomingMessage, data: Buffer): Buffer => {
    if (!stub.encrypts) return data
    const { headers } = request
    const prefix = { S3: 'x-amz-meta-', AZURE: 'x-ms-meta-', GCS: 'x-goog-meta-' }[stub.stage]
    const envelope = stub.stage === 'S3' ? null : JSON.parse(String(headers[`${prefix}encryptiondata`]))
    const wrapped = envelope?.WrappedContentKey.EncryptedKey ?? headers['x-amz-meta-x-amz-key']
    const iv = envelope?.ContentEncryptionIV ?? headers['x-amz-meta-x-amz-iv']
    const description = JSON.parse(
      String(headers[stub.stage === 'S3' ? 'x-amz-meta-x-amz-matdesc' : `${prefix}matdesc`]),
    )
    if (description.smkId !== '17' || description.keySize !== '128') throw new Error('wrong description')
    const open = (algorithm: string, key: Buffer, vector: Buffer | null, text: Buffer): Buffer => {
      const decipher = createDecipheriv(algorithm, key, vector)
      return Buffer.concat([decipher.update(text), decipher.final()])
    }
    const key = open('aes-128-ecb', MASTER_KEY, null, Buffer.from(wrapped, 'base64'))
    return open('aes-128-cbc', key, Buffer.from(iv, 'base64'), data)
  }
  const upload = (request: IncomingMessage, data: Buffer): void => {
    verifyUpload(request)
    const content = decrypt(request, data)
    const name = itemAt(decodeURIComponent(new URL(String(request.url), stub.url).pathname).split('/stages/user/'), 1)
    const path = join(folder, `file-${++counter}.csv.gz`)
    writeFileSync(path, content)
    stub.files.set(name, { path, modified: Date.now() })
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const data = Buffer.concat(chunks)
    const { pathname, searchParams } = new URL(String(request.url), stub.url)
    const isUpload = request.method !== 'POST' && pathname.includes('/stages/user/')
    const body = isUpload || data.length === 0 ? {} : JSON.parse(data.toString())
    const sql: string = body.sqlText ?? ''
    const step = isUpload
      ? 'upload'
      : pathname.includes('login')
        ? 'login'
        : pathname.endsWith('token-request')
          ? 'renew'
          : searchParams.get('delete') === 'true'
            ? 'close'
            : sql
              ? itemAt(sql.split(' ', 1), 0).toLowerCase()
              : 'other'
    const reply = (status: number, result: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(result))
    }
    const fail = (code: string, sqlState: string): void =>
      reply(200, { success: false, code, message: PEER_TEXT, data: { sqlState } })
    stub.steps.push(step)
    if (sql) stub.statements.push(sql)
    const fault = stub.fault(step, sql)
    const inject = (): void => {
      if (fault?.hangs) return
      if (fault?.code) fail(fault.code, fault.state ?? '')
      else if (fault?.status) reply(fault.status, { message: PEER_TEXT })
      else request.socket.destroy()
    }
    if (fault?.when === 'before') return inject()
    const token = /Token="(.*)"/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    let result: object
    try {
      if (isUpload && request.method !== 'PUT') return void response.writeHead(404).end()
      if (isUpload) {
        try {
          upload(request, data)
        } catch {
          return void response.writeHead(403).end(PEER_TEXT)
        }
        if (fault) return inject()
        return void response.writeHead(stub.stage === 'AZURE' ? 201 : 200, { etag: '"e"' }).end()
      }
      if (step === 'login') result = await login(body)
      else if (step === 'renew') {
        const session = sessions.get(body.oldSessionToken)
        if (!session || session.master !== token) throw new StatementFailure('390114', '')
        sessions.delete(session.token)
        session.token = randomUUID()
        sessions.set(session.token, session)
        isExpired = false
        result = { sessionToken: session.token, masterToken: session.master, validityInSecondsST: 3600 }
      } else {
        const session = sessions.get(token)
        if (!session) throw new StatementFailure('390104', '')
        if (isExpired) throw new StatementFailure('390112', '')
        if (searchParams.get('delete') === 'true') {
          abandon(session)
          sessions.delete(token)
          result = {}
        } else if (request.method === 'GET') result = await defined(pending.get(pathname))
        else {
          if (session.socket !== request.socket) request.socket.once('close', () => abandon(session))
          session.socket = request.socket
          const running = run(session, sql)
          if (stub.isLate && !fault) {
            const path = `/queries/${randomUUID()}/result`
            running.catch(() => undefined)
            pending.set(path, running)
            return reply(200, { success: true, code: '333334', message: null, data: { getResultUrl: path } })
          }
          result = await running
        }
      }
    } catch (error) {
      if (!(error instanceof StatementFailure)) throw error
      return fail(error.code, error.state)
    }
    if (fault) return inject()
    reply(200, { success: true, code: null, message: null, data: result })
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    await tail
    for (const { connection } of sessions.values()) connection.closeSync()
    own.closeSync()
    instance.closeSync()
  })
  stub.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const names = {
    account: 'myorg-account',
    database: 'DB',
    warehouse: 'WH',
    schema: 'PUBLIC',
    role: 'EXPORTER',
    user: 'exporter',
    endpoint_url: stub.url,
  }
  stub.config = { ...names, password: 'a password' }
  stub.keypair = {
    ...names,
    authentication_type: 'keypair',
    private_key: String(
      KEY.privateKey.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: PASSPHRASE }),
    ),
    private_key_passphrase: PASSPHRASE,
  }
  return stub
}
