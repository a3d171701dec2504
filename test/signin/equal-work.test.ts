/**
 * Neither a response nor its time reveals whether an address has an account: the server runs the same statements and
 * computes the same hashes before it responds.
 */
import t, { type Test } from 'tap'
import { createPasswordProcesses, type PasswordProcesses } from '../../src/auth/password-processes.ts'
import { createPasswords } from '../../src/auth/passwords.ts'
import type { Database, Db } from '../../src/sql/db.ts'
import { type Engine, type Sql, sql } from '../../src/sql/template.ts'
import { nextEngines, openApp, type TestApp } from '../helpers/app.ts'
import { openBrowser } from '../helpers/browser.ts'
import { openMailbox } from '../helpers/peers/mailbox.ts'

t.setTimeout(10 * 60_000)

const PASSWORD = 'correct horse battery staple'

/** The statements and hashes since `take` was last called. */
const work: string[] = []
const take = (): string[] => work.splice(0)

/** Passes tasks on to child processes and records the hashes. */
function recordedProcesses(t: Test): PasswordProcesses {
  const processes = createPasswordProcesses()
  t.teardown(processes.stop)
  return {
    ...processes,
    verify: (stored, password) => {
      work.push(`verify ${/^\$\w+\$v=\d+\$[^$]+/.exec(stored)?.[0]}`)
      return processes.verify(stored, password)
    },
    hash: (password, parameters) => {
      work.push('hash')
      return processes.hash(password, parameters)
    },
  }
}

function recorded<Kind extends Db>(db: Kind): Kind {
  const recording = <Result>(run: (statement: Sql) => Promise<Result>) => {
    return (statement: Sql): Promise<Result> => {
      work.push(statement.strings.join('?').replace(/\s+/g, ' '))
      return run(statement)
    }
  }
  return {
    ...db,
    all: recording((statement) => db.all(statement)),
    get: recording((statement) => db.get(statement)),
    run: recording((statement) => db.run(statement)),
    count: recording((statement) => db.count(statement)),
    tx: (inside: (tx: Db) => Promise<unknown>) => {
      work.push('begin')
      return db.tx((tx) => inside(recorded(tx)))
    },
  }
}

/** A server whose work is recorded. Background work is delayed until `release`. */
async function openRecorded(t: Test, engine: Engine): Promise<TestApp & { release(): Promise<void> }> {
  const mailbox = await openMailbox(t)
  const environment = { SMTP_URL: mailbox.url, SITE_URL: 'http://localhost', RATE_LIMITS: 'true', TRUST_PROXY: 'true' }
  const app = await openApp(t, engine, { environment })
  const held: (() => Promise<unknown>)[] = []
  const { signIn } = app.deps
  signIn.passwords = createPasswords(recordedProcesses(t))
  signIn.db = recorded<Database>(signIn.db)
  signIn.background = (_, later) => held.push(later)
  return {
    ...app,
    release: async () => {
      for (const later of held.splice(0)) await later()
    },
  }
}

/** Creates accounts of every kind and returns their addresses. */
async function createAccounts(app: TestApp): Promise<Record<string, string>> {
  const { key } = await app.stranger('known@example.com')
  const deactivated = await app.stranger('deactivated@example.com')
  for (const one of [key, deactivated.key]) await app.setPassword(PASSWORD, one)
  await app.stranger('nopassword@example.com')
  await app.deps.db.run(sql`update users set is_active = false where id = ${deactivated.id}`)
  return {
    'an account': 'known@example.com',
    'an account without a password': 'nopassword@example.com',
    'a deactivated account': 'deactivated@example.com',
  }
}

for (const engine of nextEngines())
  t.test(`a failed sign-in does the same work with and without an account (${engine})`, async (t) => {
    const app = await openRecorded(t, engine)
    const accounts = await createAccounts(app)
    const browser = openBrowser(app)
    let addresses = 0
    /** Fails eleven times from a new address: the eleventh attempt is throttled. */
    const fail = async (email: string) => {
      const address = `203.0.113.${++addresses}`
      const attempts: { status: number; text: string; work: string[] }[] = []
      for (let attempt = 0; attempt < 11; attempt++) {
        take()
        const { status, text } = await browser.send('POST', '/api/login/', {
          body: { email, password: 'wrong' },
          headers: { 'x-forwarded-for': address },
        })
        attempts.push({ status, text, work: take() })
        await app.release()
      }
      return attempts
    }
    const unknown = await fail('unknown@example.com')
    t.strictSame(
      unknown.map(({ status }) => status),
      [...Array<number>(10).fill(401), 429],
    )
    t.strictSame(
      unknown[0]?.work.filter((one) => one.startsWith('verify')),
      ['verify $argon2id$v=19$m=19456,t=2,p=1'],
      'one hash with the usual parameters',
    )
    t.ok(
      unknown[0]?.work.some((one) => one.includes('from users')),
      'the statements are recorded',
    )
    for (const [title, email] of Object.entries(accounts)) t.strictSame(await fail(email), unknown, title)
  })

for (const engine of nextEngines())
  t.test(`requesting a reset does the same work with and without an account (${engine})`, async (t) => {
    const app = await openRecorded(t, engine)
    const accounts = await createAccounts(app)
    const browser = openBrowser(app)
    /** Seven requests: the seventh is throttled. */
    const request = async (email: string) => {
      const requests: { status: number; text: string; work: string[] }[] = []
      for (let i = 0; i < 7; i++) {
        take()
        const { status, text } = await browser.send('POST', '/api/reset/', { body: { email } })
        requests.push({ status, text, work: take() })
        await app.release()
      }
      return requests
    }
    const unknown = await request('unknown@example.com')
    t.strictSame(
      unknown.map(({ status }) => status),
      [...Array<number>(6).fill(204), 429],
    )
    t.ok(unknown[0]?.work.length, 'the statements are recorded')
    for (const [title, email] of Object.entries(accounts)) t.strictSame(await request(email), unknown, title)
  })
