/** An email, ready to send. */
export interface Message {
  /** The same for every attempt, so that the receiver can detect duplicates. */
  message_id: string
  to: string
  reply_to?: string
  subject: string
  text: string
  html: string
}

/** The result of an attempt. Only `refused` is retried. */
export type Outcome = { result: 'sent' } | { result: 'refused' | 'undeliverable' | 'unknown'; reason: string }

/** After `signal`, an attempt ends within seconds. */
export type Send = (message: Message, signal: AbortSignal) => Promise<Outcome>
