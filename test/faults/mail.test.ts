/** Processes killed while sending mail: waiting mail is sent later, and mail that may have arrived is not sent twice. */
import t from 'tap'
import { openDatabase } from '../../src/sql/open.ts'
import { sql } from '../../src/sql/template.ts'
import { nextEngines } from '../helpers/app.ts'
import { halfInQuick } from '../helpers/assertions/figures.ts'
import { defined } from '../helpers/assertions/items.ts'
import { openMailbox } from '../helpers/peers/mailbox.ts'
import { serverPlace } from '../helpers/programs/postgres.ts'
import { type ServerProcess, startProcess } from '../helpers/programs/process.ts'

halfInQuick(t)

async function invite({ url }: ServerProcess, key: string, target_email: string): Promise<number> {
  const response = await fetch(`${url}/api/organizations/@current/invites/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ target_email }),
  })
  return response.status
}

for (const engine of nextEngines())
  t.test(`does not resend an email after a kill during its delivery (${engine})`, async (t) => {
    const DATABASE_URL = await serverPlace(t, engine)
    const mailbox = await openMailbox(t)
    const environment = { DATABASE_URL, SMTP_URL: mailbox.url, SITE_URL: 'http://site.example' }
    const first = await startProcess(t, environment)
    mailbox.setFault({ at: 'data', hang: true })
    const reached = mailbox.reached()
    t.equal(await invite(first, defined(first.api_key), 'lost@example.com'), 201)
    await reached
    await first.kill()

    mailbox.setFault(null)
    const second = await startProcess(t, environment)
    const delivery = mailbox.next()
    t.equal(await invite(second, defined(first.api_key), 'next@example.com'), 201)
    t.strictSame((await delivery).to, ['next@example.com'])
    t.equal(mailbox.mails.length, 1, 'an email that may have arrived is not sent again')
    await second.kill()
  })

for (const engine of nextEngines())
  t.test(`sends a waiting mail after a kill (${engine})`, async (t) => {
    const DATABASE_URL = await serverPlace(t, engine)
    const mailbox = await openMailbox(t)
    const environment = { DATABASE_URL, SMTP_URL: mailbox.url, SITE_URL: 'http://site.example' }
    mailbox.setFault({ at: 'recipient', status: 451 })
    const first = await startProcess(t, environment)
    const reached = mailbox.reached()
    t.equal(await invite(first, defined(first.api_key), 'waiting@example.com'), 201)
    await reached
    const db = await openDatabase(DATABASE_URL)
    t.teardown(() => db.close())
    while (!(await db.get(sql`select 1 from letters where state = 'waiting' and attempts = 1`)))
      await new Promise(setImmediate)
    await first.kill()

    await db.run(sql`update letters set next_attempt_at = '2026-01-01T00:00:00.000Z'`)
    mailbox.setFault(null)
    const delivery = mailbox.next()
    const second = await startProcess(t, environment)
    t.strictSame((await delivery).to, ['waiting@example.com'], 'the next start sends it')
    await second.kill()
  })
