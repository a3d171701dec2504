import { EventEmitter, once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { Test } from 'tap'
import { itemAt } from '../assertions/items.ts'

export interface Mail {
  from: string
  to: string[]
  raw: string
  secure: boolean
  user: string | undefined
}

export interface Mailbox {
  url: string
  port: number
  mails: Mail[]
  /** The raw text of emails that were rejected after their data. */
  refused: string[]
  /** The next email to arrive. */
  next(): Promise<Mail>
  /** Resolves when the configured fault occurs next. */
  reached(): Promise<void>
  /** Sets the fault for the next emails; null accepts them. */
  setFault(fault: SmtpFault): void
  close(): Promise<void>
}

/** A fault at a step of the SMTP dialogue: a status, a closed connection, or no reply. */
export type SmtpFault = { at: 'recipient' | 'data' | 'greeting'; status?: number; cut?: boolean; hang?: boolean } | null

/** Starts an SMTP server on loopback with configurable faults. */
export async function openMailbox(t: Test, options: SMTPServerOptions = {}, port = 0): Promise<Mailbox> {
  const events = new EventEmitter()
  const mails: Mail[] = []
  const refused: string[] = []
  let fault: SmtpFault = null

  const perform = (
    at: string,
    stream: { destroy?: () => void } | undefined,
    done: (error?: Error | null) => void,
  ): void => {
    if (fault?.at !== at) return void done()
    events.emit('reached')
    if (fault.cut) stream?.destroy?.()
    else if (!fault.hang) done(Object.assign(new Error('rejected'), { responseCode: fault.status }))
  }

  const server = new SMTPServer({
    authOptional: true,
    closeTimeout: 50,
    disabledCommands: options.secure || options.key ? [] : ['STARTTLS'],
    onConnect: (session, done) => perform('greeting', socketOf(session), done),
    onRcptTo: (_, session, done) => perform('recipient', socketOf(session), done),
    onData: (stream, session, done) => {
      let raw = ''
      stream.on('data', (chunk: Buffer) => {
        raw += chunk
      })
      stream.on('end', () =>
        perform('data', socketOf(session), (error) => {
          if (error) {
            refused.push(raw)
            return done(error)
          }
          const mail: Mail = {
            from: session.envelope.mailFrom ? session.envelope.mailFrom.address : '',
            to: session.envelope.rcptTo.map(({ address }) => address),
            raw,
            secure: session.secure,
            user: session.user as string | undefined,
          }
          mails.push(mail)
          done()
          events.emit('mail', mail)
        }),
      )
    },
    ...options,
  })
  server.on('error', () => undefined)
  const sockets = new Map<string, { destroy(): void }>()
  server.server.on('connection', (socket: Socket) => sockets.set(`${socket.remotePort}`, socket))
  const socketOf = (session: { remotePort?: number }): { destroy(): void } | undefined =>
    sockets.get(`${session.remotePort}`)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
  const address = server.server.address() as AddressInfo
  const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()))
  t.teardown(close)
  return {
    port: address.port,
    url: `smtp://127.0.0.1:${address.port}`,
    mails,
    refused,
    next: async () => (await once(events, 'mail'))[0] as Mail,
    reached: async () => void (await once(events, 'reached')),
    setFault: (next) => {
      fault = next
    },
    close,
  }
}

/** Decodes quoted-printable text. */
export const readable = (raw: string): string =>
  raw.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))

/** The ids and tokens of the links in an invite mail. */
export function linksIn(raw: string): { invite_id: string; token: string }[] {
  const [text = ''] = readable(raw).split('<!doctype html>')
  return [...text.matchAll(/\/signup\/([0-9a-f-]{36})\/\?token=(\w+)/g)].map(([, invite_id, token]) => ({
    invite_id: invite_id!,
    token: token!,
  }))
}

export const linkIn = (raw: string): { invite_id: string; token: string } => itemAt(linksIn(raw), 0)
