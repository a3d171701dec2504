/** Sends the emails in the outbox. */
import type { Logger } from 'pino'
import { createLoop } from '../background/loop.ts'
import type { Db } from '../sql/db.ts'
import type { MailResult } from '../telemetry/metrics.ts'
import { addMilliseconds } from '../time/stored.ts'
import type { Message, Send } from './message.ts'
import type { QueuedMail } from './outbox.ts'
import * as outbox from './outbox.ts'
import {
  type AccountLinkKind,
  accountLinkMail,
  accountNoticeMail,
  alertMail,
  type InviteMailInput,
  inviteMail,
  memberJoinedMail,
  pluginDisabledMail,
} from './templates.ts'

/** About five hours of attempts. */
const MAX_ATTEMPTS = 12
const FIRST_DELAY_SECONDS = 30
const MAX_DELAY_SECONDS = 3_600
/** How often to look for mail that another process enqueued. */
const POLL_MS = 5_000
/** A process that has not finished sending by then is considered dead. */
const SEND_TIMEOUT_MS = 600_000
/** Connections at a time. Notifications leave some of them free, so account mail does not wait for their timeouts. */
const CONNECTIONS = 6
const NOTIFICATIONS = 3

const FAILURES = {
  refused: 'gave up sending an email',
  undeliverable: 'gave up sending an email',
  unknown: 'the connection broke; the email may have arrived, so it is not sent again',
}

const RESULTS = { sent: 'sent', refused: 'failed', undeliverable: 'failed', unknown: 'unknown' } as const

export interface ComposedInvites {
  organization: string
  invites: (InviteMailInput & { inviter_email: string | null })[]
}

export interface MailerOptions {
  db: Db
  now: () => string
  send: Send
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  site_url: string
  /**
   * The invites of an email, with new tokens. Undefined when the invite was deleted or is in another email, a time when the
   * mailbox had an email too recently.
   */
  composeInvites(mail: {
    id: string
    content: outbox.InviteContent
  }): Promise<ComposedInvites | { wait_until: string } | undefined>
  /** Creates the link of an account email, with a new token. Undefined when the user's address has changed. */
  accountLink(kind: AccountLinkKind, content: outbox.AccountLinkContent): Promise<string | undefined>
  /** Called with the result of each attempt. */
  observe?: (kind: string, result: MailResult) => void
}

export interface Mailer {
  start(): void
  /** Checks the outbox now. Called after an email is enqueued. */
  wake(): void
  stop(): Promise<void>
}

export function createMailer(options: MailerOptions): Mailer {
  const { db, now, send, log, observe } = options
  const at = (milliseconds: number): string => addMilliseconds(now(), milliseconds)
  /** The emails that are being sent, and whether they are urgent. */
  const active = new Map<Promise<void>, boolean>()
  const stopping = new AbortController()
  const loop = createLoop({
    name: 'mailer',
    round: async () => {
      for (const { id, kind } of await outbox.removeAbandoned(db, at(-SEND_TIMEOUT_MS)))
        log.error(
          { mail: id, kind },
          'a process died while sending this email; it may have arrived, so it is not sent again',
        )
      while (!loop.stopped && (await startNext()));
      return POLL_MS
    },
    retry_ms: POLL_MS,
    onError: (error) => log.error({ err: error }, 'reading the outbox failed; mail waits'),
  })

  /** False when no email is due or no connection is free. */
  async function startNext(): Promise<boolean> {
    const notifications = [...active.values()].filter((urgent) => !urgent).length
    const claim = (urgent: boolean): Promise<QueuedMail | undefined> => outbox.claim(db, now(), urgent)
    if (active.size >= CONNECTIONS) return false
    const urgent = await claim(true)
    const mail = urgent ?? (notifications < NOTIFICATIONS ? await claim(false) : undefined)
    if (!mail) return false
    const done = deliver(mail)
      .catch((error) => log.error({ err: error, mail: mail.id }, 'the result of an email was not stored'))
      .finally(() => {
        active.delete(done)
        loop.wake()
      })
    active.set(done, urgent !== undefined)
    return true
  }

  /** Updates the outbox before logging, so the log never reports an update that failed. */
  async function deliver(mail: QueuedMail): Promise<void> {
    const fields = { mail: mail.id, kind: mail.kind, attempt: mail.attempts }
    const message = await compose(options, mail)
    if (!message) return outbox.remove(db, mail.id)
    if ('wait_until' in message) return outbox.defer(db, mail.id, message.wait_until)
    const outcome = await send(message, stopping.signal)
    if (outcome.result === 'refused' && stopping.signal.aborted) return outbox.defer(db, mail.id, now())
    if (outcome.result === 'refused' && mail.attempts < MAX_ATTEMPTS) {
      const seconds = Math.min(FIRST_DELAY_SECONDS * 2 ** (mail.attempts - 1), MAX_DELAY_SECONDS)
      await outbox.postpone(db, mail.id, at(seconds * 1000))
      observe?.(mail.kind, 'postponed')
      log.warn(
        { ...fields, reason: outcome.reason },
        `the mail server rejected an email; next attempt in ${seconds} seconds`,
      )
      return
    }
    await outbox.remove(db, mail.id)
    observe?.(mail.kind, RESULTS[outcome.result])
    if (outcome.result === 'sent') log.info(fields, 'email sent')
    else log.error({ ...fields, reason: outcome.reason }, FAILURES[outcome.result])
  }

  return {
    start: () => loop.start(),
    wake: loop.wake,
    stop: async () => {
      const stopped = loop.stop()
      stopping.abort()
      await stopped
      await Promise.all(active.keys())
    },
  }
}

/**
 * The token of a link is created here and stored as a hash, so the outbox contains no tokens. Each attempt creates a new
 * token. Returns undefined when the email is no longer needed.
 */
async function compose(
  { site_url, composeInvites, accountLink }: Pick<MailerOptions, 'site_url' | 'composeInvites' | 'accountLink'>,
  mail: QueuedMail,
): Promise<Message | { wait_until: string } | undefined> {
  const envelope = { message_id: `<${mail.id}@${new URL(site_url).hostname}>`, to: mail.recipient }
  switch (mail.kind) {
    case 'member_joined':
      return { ...envelope, ...memberJoinedMail(mail.content) }
    case 'alert':
      return { ...envelope, ...alertMail(mail.content, site_url) }
    case 'plugin_disabled':
      return { ...envelope, ...pluginDisabledMail(mail.content) }
    case 'account_notice':
      return { ...envelope, ...accountNoticeMail(mail.content) }
    case 'password_reset':
    case 'email_verification': {
      const link = await accountLink(mail.kind, mail.content)
      return link === undefined
        ? undefined
        : { ...envelope, ...accountLinkMail(mail.kind, mail.content.first_name, link) }
    }
    case 'invite': {
      const composed = await composeInvites(mail)
      if (!composed || 'wait_until' in composed) return composed
      const { organization, invites } = composed
      const [reply_to, ...others] = new Set(invites.map(({ inviter_email }) => inviter_email))
      return {
        ...envelope,
        // A server that does not know plus addresses accepts the shortest one.
        to: invites.map(({ target_email }) => target_email).reduce((a, b) => (b.length < a.length ? b : a)),
        ...(reply_to && others.length === 0 && { reply_to }),
        ...inviteMail(organization, invites),
      }
    }
  }
}
