import { setTimeout as timer } from 'node:timers'
import type { Message, Send } from './message.ts'

/** After this many tries a letter is given up: about five hours. */
const MAX_ATTEMPTS = 12
const FIRST_DELAY_SECONDS = 30
const LONGEST_DELAY_SECONDS = 3_600
/** How often to look for letters that another process wrote, or left behind. */
const LOOK_AGAIN_MS = 5_000

const ENDS = {
  refused: 'mail given up',
  undeliverable: 'mail given up',
  unknown: 'the connection broke; the mail may have arrived, so it is not sent again',
}

export interface Letter {
  id: string
  kind: string
  attempts: number
}

/** Where letters wait. The database keeps it, so a crash loses none and a second process sends none twice. */
export interface Outbox<L extends Letter> {
  claim(): Promise<L | undefined>
  /** Undefined when there is no more reason to send it. */
  compose(letter: L): Promise<Message | undefined>
  postpone(letter: L, seconds: number): Promise<void>
  remove(letter: L): Promise<void>
  /** Takes out those whose sender died on the way. */
  removeAbandoned(): Promise<L[]>
}

interface Log {
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
}

export interface Postman {
  /** Begins to send, until it is stopped. */
  start(): void
  /** There is something to send. */
  wake(): void
  stop(): Promise<void>
}

/** Sends what waits in the outbox, one letter after the other, until it is stopped. */
export function createPostman<L extends Letter>(outbox: Outbox<L>, send: Send, log: Log): Postman {
  let working: Promise<void> | undefined
  let again = false
  let started = false
  let stopped = false
  let next: NodeJS.Timeout | undefined

  const wake = (): void => {
    if (!started || stopped) return
    again = true
    working ??= work()
  }

  async function work(): Promise<void> {
    clearTimeout(next)
    try {
      while (again && !stopped) {
        again = false
        for (const { id, kind } of await outbox.removeAbandoned())
          log.error(
            { letter: id, kind },
            'a process died while sending this mail; it may have arrived, so it is not sent again',
          )
        for (let letter = await outbox.claim(); letter; letter = stopped ? undefined : await outbox.claim())
          await deliver(letter)
      }
    } catch (error) {
      log.error({ err: error }, 'the outbox cannot be read; mail waits')
    }
    // No await between the last check of `again` and this line: a wake-up in between would be lost.
    working = undefined
    if (!stopped) next = timer(wake, LOOK_AGAIN_MS).unref()
  }

  /** What is logged has happened: the outbox is told first. */
  async function deliver(letter: L): Promise<void> {
    const about = { letter: letter.id, kind: letter.kind, attempt: letter.attempts }
    const message = await outbox.compose(letter)
    if (!message) return outbox.remove(letter)
    const outcome = await send(message)
    if (outcome.result === 'refused' && letter.attempts < MAX_ATTEMPTS) {
      const seconds = Math.min(FIRST_DELAY_SECONDS * 2 ** (letter.attempts - 1), LONGEST_DELAY_SECONDS)
      await outbox.postpone(letter, seconds)
      log.warn({ ...about, reason: outcome.reason }, `mail not taken; next try in ${seconds} seconds`)
      return
    }
    await outbox.remove(letter)
    if (outcome.result === 'sent') log.info(about, 'mail sent')
    else log.error({ ...about, reason: outcome.reason }, ENDS[outcome.result])
  }

  return {
    start: () => {
      started = true
      wake()
    },
    wake,
    stop: async () => {
      stopped = true
      clearTimeout(next)
      await working
    },
  }
}
