/** A mail, ready to go. */
export interface Message {
  /** The same at every try, so that a receiver can tell a repetition. */
  message_id: string
  to: string
  reply_to?: string
  subject: string
  text: string
  html: string
}

/** What became of a try. Only what certainly did not arrive is tried again. */
export type Outcome = { result: 'sent' } | { result: 'refused' | 'undeliverable' | 'unknown'; reason: string }

export type Send = (message: Message) => Promise<Outcome>
