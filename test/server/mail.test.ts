/** Mail to an SMTP server in this process: delivered, rejected, slow, unreachable. */
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import t, { type Test } from 'tap'
import * as outbox from '../../src/mail/outbox.ts'
import { sql } from '../../src/sql/template.ts'
import { nextEngines, openApp, type TestApp } from '../helpers/app.ts'
import { halfInQuick } from '../helpers/assertions/figures.ts'
import { defined, itemAt, textAt } from '../helpers/assertions/items.ts'
import { linkIn, linksIn, openMailbox, readable } from '../helpers/peers/mailbox.ts'
import { until } from '../helpers/programs/site.ts'

halfInQuick(t)

const MINUTE = 60_000
const HOUR = 60 * MINUTE

interface LogLine {
  msg: string
  reason?: string
  level: number
}

async function open(t: Test, engine: TestApp['engine'], url: string, more: Record<string, string> = {}) {
  const stream = new PassThrough()
  const log: LogLine[] = []
  const arrivals = new PassThrough({ objectMode: true })
  stream.on('data', (chunk: Buffer) => {
    for (const line of String(chunk).trim().split('\n')) {
      log.push(JSON.parse(line))
      arrivals.emit('line')
    }
  })
  const app = await openApp(t, engine, {
    environment: { SMTP_URL: url, SITE_URL: 'https://site.example/', ...more },
    log: stream,
  })
  /** Waits for a matching log line. */
  const waitForLog = async (pattern: RegExp): Promise<LogLine> => {
    for (;;) {
      const found = log.find(({ msg }) => pattern.test(msg))
      if (found) return found
      await once(arrivals, 'line')
    }
  }
  const invite = async (target_email: string, more: object = {}) =>
    (await app.send('POST', '/api/organizations/@current/invites/', { body: { target_email, ...more } })).body
  const waiting = async () => (await app.deps.db.all(sql`select * from letters`)).length
  return { ...app, log, waitForLog, invite, waiting, wake: () => defined(app.deps.mailer).wake() }
}

for (const engine of nextEngines())
  t.test(`an invite is sent by email, and its link accepts it (${engine})`, async (t) => {
    const mailbox = await openMailbox(t)
    const { send, invite, waitForLog } = await open(t, engine, mailbox.url)
    const arriving = mailbox.next()
    const created = await invite('grace@example.com', {
      first_name: '<b>Grace</b>',
      message: 'See you\r\n.\r\nsoon & <i>well</i>',
      level: 8,
    })
    t.match(created, { emailing_attempt_made: true })
    t.notOk('signup_token' in created, 'the token is only in the email')
    const mail = await arriving
    t.strictSame(mail.to, ['grace@example.com'])
    t.equal(mail.from, 'workspace-admin@site.example')
    const text = readable(mail.raw)
    t.match(text, /^Reply-To: owner@example\.com/m)
    t.match(text, /^Subject: Owner invites you to My organization/m)
    t.match(text, /^Message-ID: <[0-9a-f-]{36}@site\.example>/im)
    t.match(text, /Content-Type: text\/plain/)
    t.match(text, /Content-Type: text\/html/)
    t.match(text, /&#60;b&#62;Grace/, 'user input is escaped')
    t.match(text, /until 2026-01-04 \(UTC\)/)
    const { invite_id, token } = linkIn(mail.raw)
    t.equal(invite_id, created.id)
    await waitForLog(/mail sent/)
    const joined = await send('POST', `/api/signup/${invite_id}/`, { key: null, body: { token } })
    t.match(joined, { status: 201, body: { user: { is_email_verified: true } } }, 'a mailed token verifies the address')
    const notification = await mailbox.next()
    t.strictSame(notification.to, ['owner@example.com'], 'other members are notified')
    t.match(readable(notification.raw), /\(grace@example\.com\) has joined My organization/)
    await waitForLog(/mail sent/)
    await send('PATCH', '/api/organizations/@current/', { body: { is_member_join_email_enabled: false } })
    const next = mailbox.next()
    await invite('second@example.com')
    const second = linkIn((await next).raw)
    await send('POST', `/api/signup/${second.invite_id}/`, { key: null, body: { token: second.token } })
    t.equal(mailbox.mails.length, 3, 'the notification can be disabled')
  })

for (const engine of nextEngines())
  t.test(`retries a rejected mail with growing delays and the same Message-ID (${engine})`, async (t) => {
    const mailbox = await openMailbox(t)
    const app = await open(t, engine, mailbox.url)
    mailbox.setFault({ at: 'recipient', status: 451 })
    await app.invite('grace@example.com')
    t.match(await app.waitForLog(/next attempt in 30 seconds/), { reason: /451/, level: 40 })
    app.wake()
    t.equal(await app.waiting(), 1)
    app.advance(MINUTE)
    app.wake()
    await app.waitForLog(/next attempt in 60 seconds/)
    mailbox.setFault({ at: 'data', status: 452 })
    app.advance(2 * MINUTE)
    app.wake()
    await app.waitForLog(/next attempt in 120 seconds/)
    mailbox.setFault(null)
    app.advance(3 * MINUTE)
    const arriving = mailbox.next()
    app.wake()
    const { raw } = await arriving
    const { invite_id, token } = linkIn(raw)
    const messageId = (text: string) => textAt(/^Message-ID: (.+)$/im, text)
    t.equal(messageId(raw), messageId(itemAt(mailbox.refused, 0)))
    await app.waitForLog(/mail sent/)
    t.equal(await app.waiting(), 0)
    t.equal((await app.send('GET', `/api/signup/${invite_id}/?token=${token}`, { key: null })).status, 200)
  })

for (const engine of nextEngines())
  t.test(`gives up an undeliverable mail and logs the reason (${engine})`, async (t) => {
    const mailbox = await openMailbox(t)
    const app = await open(t, engine, mailbox.url)
    mailbox.setFault({ at: 'recipient', status: 550 })
    await app.invite('nobody@example.com')
    t.match(await app.waitForLog(/gave up sending an email/), { reason: /550/, level: 50 })
    t.equal(await app.waiting(), 0)

    mailbox.setFault({ at: 'recipient', status: 450 })
    await app.invite('busy@example.com')
    for (let attempt = 1; attempt < 12; attempt++) {
      const seconds = Math.min(30 * 2 ** (attempt - 1), 3600)
      await app.waitForLog(new RegExp(`next attempt in ${seconds} seconds`))
      app.log.length = 0
      app.advance((seconds + 1) * 1000)
      app.wake()
    }
    await app.waitForLog(/gave up sending an email/)
    t.equal(await app.waiting(), 0)
    t.equal(
      (await app.send('GET', '/api/organizations/@current/invites/')).body.count,
      2,
      'the invites are not deleted',
    )
  })

for (const engine of nextEngines())
  t.test(`retries an email after the server was unreachable (${engine})`, async (t) => {
    const first = await openMailbox(t)
    await first.close()
    const app = await open(t, engine, first.url)
    await app.invite('grace@example.com')
    t.match(await app.waitForLog(/next attempt in 30 seconds/), { reason: /ESOCKET|ECONNECTION|ECONNREFUSED/ })
    const back = await openMailbox(t, {}, first.port)
    app.advance(MINUTE)
    const arriving = back.next()
    app.wake()
    t.strictSame((await arriving).to, ['grace@example.com'])
    await app.waitForLog(/mail sent/)
  })

for (const engine of nextEngines())
  t.test(`does not resend an email that may have been delivered (${engine})`, async (t) => {
    const mailbox = await openMailbox(t)
    const app = await open(t, engine, `${mailbox.url}?socketTimeout=300`)
    mailbox.setFault({ at: 'data', cut: true })
    await app.invite('cut@example.com')
    t.match(await app.waitForLog(/may have arrived/), { level: 50 })
    t.equal(await app.waiting(), 0)
    app.log.length = 0
    mailbox.setFault({ at: 'data', hang: true })
    await app.invite('slow@example.com')
    t.match(await app.waitForLog(/may have arrived/), { reason: /ETIMEDOUT/ })
    t.equal(await app.waiting(), 0)
    app.log.length = 0
    mailbox.setFault({ at: 'recipient', hang: true })
    await app.invite('early@example.com')
    t.match(
      await app.waitForLog(/next attempt/),
      { reason: /ETIMEDOUT/ },
      'an email cannot have arrived before its data was sent',
    )
    t.equal(mailbox.mails.length, 0)
  })

for (const engine of nextEngines())
  t.test(
    `a process that dies leaves the mail in the outbox, or logs that it may have been sent (${engine})`,
    async (t) => {
      const mailbox = await openMailbox(t)
      const app = await open(t, engine, mailbox.url)
      mailbox.setFault({ at: 'recipient', status: 451 })
      await app.invite('grace@example.com')
      await app.waitForLog(/next attempt/)
      await app.deps.db.run(sql`update letters set state = 'sending'`)
      mailbox.setFault(null)
      app.advance(5 * MINUTE)
      app.log.length = 0
      app.wake()
      await app.invite('other@example.com')
      await app.waitForLog(/mail sent/)
      t.strictSame(
        mailbox.mails.map(({ to }) => to[0]),
        ['other@example.com'],
        'no other process claims an email that is being sent',
      )
      app.advance(11 * MINUTE)
      app.wake()
      await app.waitForLog(/a process died while sending/)
      t.equal(await app.waiting(), 0)
      t.equal(mailbox.mails.length, 1)
    },
  )

for (const engine of nextEngines())
  t.test(`an organization sends a mailbox one email per hour, with all its invites (${engine})`, async (t) => {
    const mailbox = await openMailbox(t)
    const app = await open(t, engine, mailbox.url, { RATE_LIMITS: 'true' })
    const bulk = (...addresses: string[]) =>
      app.call('invites.bulk', { body: addresses.map((target_email) => ({ target_email })) })
    /** Invites an address. Returns the addresses of all emails, in lower case, once there are this many. */
    const arrivedWith = async (target_email: string, count: number) => {
      let arriving = mailbox.next()
      await app.invite(target_email)
      while (mailbox.mails.length < count) {
        await arriving
        arriving = mailbox.next()
      }
      return mailbox.mails.map(({ to }) => itemAt(to, 0).toLowerCase()).sort()
    }
    const mailTo = (pattern: RegExp) => defined(mailbox.mails.find(({ to }) => pattern.test(itemAt(to, 0))))
    const tokens: { invite_id: string; token: string }[] = []
    t.strictSame(await arrivedWith('grace+1@example.com', 1), ['grace+1@example.com'])
    tokens.push(...linksIn(itemAt(mailbox.mails, 0).raw))
    t.equal((await bulk('grace+2@example.com', 'Grace@example.com', 'a.da@example.com', 'ada@example.com')).status, 200)
    const early = await arrivedWith('other@example.com', 3)
    t.match(early.join(), /^a\.?da@example\.com,grace\+1@example\.com,other@example\.com$/, 'further invites wait')
    t.equal(linksIn(mailTo(/^a\.?da@/).raw).length, 1, 'the other address may be that of another person')

    mailbox.setFault({ at: 'recipient', status: 451 })
    app.advance(HOUR)
    app.wake()
    // All of them have failed.
    await until(async () => {
      const due = sql`select 1 from letters where state = 'sending' or next_attempt_at <= ${app.deps.now()}`
      return (await app.deps.db.all(due)).length === 0
    })
    mailbox.setFault(null)
    app.advance(MINUTE)
    const late = await arrivedWith('last@example.com', 6)
    t.match(
      late.join(),
      /^a\.da@example\.com,ada@example\.com,grace\+1@example\.com,grace(\+2)?@example\.com,last@example\.com,other@example\.com$/,
      'one email for the waiting invites, also after a failed attempt',
    )
    const combined = mailTo(/^(grace\+2|Grace)@/)
    tokens.push(...linksIn(combined.raw))
    t.match(
      readable(combined.raw),
      /Subject: Invites to .*invites (grace\+2|Grace)@example\.com to join .*invites (Grace|grace\+2)@example\.com/s,
    )
    t.equal(new Set(tokens.map(({ invite_id }) => invite_id)).size, 3)
    for (const { invite_id, token } of tokens)
      t.equal(
        (await app.send('GET', `/api/signup/${invite_id}/?token=${token}`, { key: null })).status,
        200,
        'each link works',
      )

    t.equal((await arrivedWith('done@example.com', 7)).length, 7)
    t.same(
      await app.deps.db.all(sql`select kind from letters where state = 'waiting'`),
      [],
      'emails without an invite of their own are gone',
    )
  })

for (const engine of nextEngines())
  t.test(`sends account mail while notifications wait for a hanging server (${engine})`, async (t) => {
    const hanging = new Set(Array.from({ length: 50 }, (_, i) => `n${i}@example.com`))
    let connections = 0
    let most = 0
    const mailbox = await openMailbox(t, {
      onConnect: (_, done) => {
        most = Math.max(most, ++connections)
        done()
      },
      onClose: () => void connections--,
      onRcptTo: ({ address }, _, done) => {
        if (!hanging.has(address)) done()
      },
    })
    const app = await open(t, engine, mailbox.url)
    await app.deps.db.tx(async (tx) => {
      for (const recipient of hanging)
        await outbox.enqueue(tx, {
          id: app.deps.ids.uuid(),
          kind: 'member_joined',
          recipient,
          content: { name: 'Ada', email: 'ada@example.com', organization: 'Acme' },
          now: app.deps.now(),
        })
    })
    app.wake()
    for (const email of ['first@example.com', 'second@example.com']) {
      const arriving = mailbox.next()
      await app.invite(email)
      t.strictSame((await arriving).to, [email])
    }
    t.ok(most <= 6, 'few connections at a time')
    await defined(app.deps.mailer).stop()
    t.equal(await app.waiting(), 50)
    const left = await app.deps.db.all<object>(sql`select distinct state, attempts from letters`)
    t.strictSame(left, [{ state: 'waiting', attempts: 0 }], 'a shutdown waits for no timeout and counts no attempt')
  })

for (const engine of nextEngines())
  t.test(`does not send a deleted invite (${engine})`, async (t) => {
    const mailbox = await openMailbox(t)
    const app = await open(t, engine, mailbox.url)
    mailbox.setFault({ at: 'recipient', status: 451 })
    const { id } = await app.invite('grace@example.com')
    await app.waitForLog(/next attempt/)
    await app.send('DELETE', `/api/organizations/@current/invites/${id}/`)
    mailbox.setFault(null)
    app.advance(MINUTE)
    const arriving = mailbox.next()
    app.wake()
    await app.invite('other@example.com')
    await arriving
    t.strictSame(
      mailbox.mails.map(({ to }) => to[0]),
      ['other@example.com'],
    )
  })

t.test('supports TLS and authentication', async (t) => {
  const mailbox = await openMailbox(t, {
    secure: true,
    authOptional: false,
    onAuth: ({ username, password }, _, done) =>
      password === 'right'
        ? done(null, { user: username })
        : done(Object.assign(new Error('no'), { responseCode: 535 })),
  })
  const to = (user: string) => `smtps://${user}@127.0.0.1:${mailbox.port}?tls.rejectUnauthorized=false`
  const app = await open(t, 'sqlite', to('ada:right'))
  const arriving = mailbox.next()
  await app.invite('grace@example.com')
  t.match(await arriving, { secure: true, user: 'ada' })

  const wrong = await open(t, 'sqlite', to('ada:wrong-password'))
  await wrong.invite('grace@example.com')
  t.match(await wrong.waitForLog(/next attempt/), { reason: /535/ })
  t.notMatch(JSON.stringify(wrong.log), /wrong-password/, 'no password in the log')

  const suspicious = await open(t, 'sqlite', `smtps://ada:right@127.0.0.1:${mailbox.port}`)
  await suspicious.invite('grace@example.com')
  t.match(
    await suspicious.waitForLog(/next attempt/),
    { reason: /certificate|ESOCKET|ETLS/i },
    'an untrusted certificate is rejected',
  )
})
