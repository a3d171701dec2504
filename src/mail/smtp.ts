import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import { parseConnectionUrl } from 'nodemailer/lib/shared'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Message, Outcome, Send } from './message.ts'

const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 60_000, dnsTimeout: 10_000 }

/** How long a shutdown waits for the reply to an email that was sent. */
const STOP_MS = 3_000

/** Sends over SMTP. `smtp://` uses STARTTLS when the server offers it, `smtps://` uses TLS. Credentials are in the URL. */
export function smtpSender(url: string, from: string): Send {
  const { auth, ...options } = parseConnectionUrl(url)
  return async ({ message_id, to, reply_to, subject, text, html }: Message, signal: AbortSignal) => {
    const mail = { messageId: message_id, from, to, subject, text, html, ...(reply_to && { replyTo: reply_to }) }
    const bytes = await new MailComposer(mail).compile().build()
    // The stream is read after the server accepted DATA. If the connection breaks later, the email may have arrived.
    let begun = false
    const data = new Readable({
      read() {
        begun = true
        this.push(bytes)
        this.push(null)
      },
    })
    const connection = new SMTPConnection({ ...TIMEOUTS, ...options })
    let onStop = (): void => undefined
    let grace: NodeJS.Timeout | undefined
    try {
      await new Promise<void>((resolve, reject) => {
        onStop = () => {
          grace = setTimeout(() => reject(new Error('the server is shutting down')), begun ? STOP_MS : 0)
        }
        if (signal.aborted) onStop()
        else signal.addEventListener('abort', onStop)
        connection.once('error', reject)
        connection.connect((error) => {
          if (error) return reject(error)
          const send = (): void => {
            const envelope = { from: addressOf(from), to: [to], size: bytes.length }
            connection.send(envelope, data, (error) => (error ? reject(error) : resolve()))
          }
          if (!auth?.user) return send()
          connection.login({ user: auth.user, pass: auth.pass }, (error) => (error ? reject(error) : send()))
        })
      })
      connection.quit()
      return { result: 'sent' }
    } catch (error) {
      connection.close()
      return outcomeOf(error as Failure, begun)
    } finally {
      signal.removeEventListener('abort', onStop)
      clearTimeout(grace)
    }
  }
}

const VERIFY_TIMEOUTS = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 5_000, dnsTimeout: 5_000 }

/** Connects and signs in without sending an email. Returns the reason of a failure. */
export async function verifySmtp(url: string): Promise<string | null> {
  const { auth, ...options } = parseConnectionUrl(url)
  const connection = new SMTPConnection({ ...VERIFY_TIMEOUTS, ...options })
  try {
    await new Promise<void>((resolve, reject) => {
      connection.once('error', reject)
      connection.connect((error) => {
        if (error) return reject(error)
        if (!auth?.user) return resolve()
        connection.login({ user: auth.user, pass: auth.pass }, (error) => (error ? reject(error) : resolve()))
      })
    })
    connection.quit()
    return null
  } catch (error) {
    connection.close()
    const outcome = outcomeOf(error as Failure, false)
    return outcome.result === 'sent' ? null : outcome.reason
  }
}

interface Failure extends Error {
  code?: string
  /** The server's reply code; undefined when the connection failed. */
  responseCode?: number
}

function outcomeOf({ code, responseCode, message }: Failure, begun: boolean): Outcome {
  if (responseCode !== undefined) {
    // A permanent error about this email, unlike a busy server or a wrong password.
    const permanent = responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE')
    return { result: permanent ? 'undeliverable' : 'refused', reason: `the mail server replied with ${responseCode}` }
  }
  return { result: begun ? 'unknown' : 'refused', reason: `${code ?? 'failed'}: ${message}` }
}

/** `Name <a@b>` → `a@b`. */
const addressOf = (from: string): string => /<([^<>]+)>/.exec(from)?.[1] ?? from
