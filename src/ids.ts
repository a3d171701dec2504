import { randomBytes } from 'node:crypto'
import { v7 } from 'uuid'

/** Everything random the program gives out. An input like the clock, so that a test can know it beforehand. */
export interface Ids {
  uuid(): string
  /** A personal API key's value: 280 random bits. Only its hash is kept. */
  keyValue(): string
  keyId(): string
  /** A project's token. It can only add events, and every member sees it. */
  projectToken(): string
  /** The secret of an invite's link: 256 random bits. Only its hash is kept. */
  inviteToken(): string
  /** The value of a session's cookie: 256 random bits. Only its hash is stored. */
  sessionToken(): string
  /** What proves a domain: 43 characters that are safe in a URL. */
  challenge(): string
  /** Four lower-case letters, to tell two slugs apart. */
  letters(): string
}

export const makeIds = (milliseconds: () => number): Ids => ({
  uuid: () => v7({ msecs: milliseconds() }),
  keyValue: () => `phx_${base62(35)}`,
  keyId: () => base62(8),
  projectToken: () => `phc_${base62(32)}`,
  inviteToken: () => base62(32),
  sessionToken: () => randomBytes(32).toString('base64url'),
  challenge: () => randomBytes(32).toString('base64url'),
  letters: () => Array.from(randomBytes(4), (byte) => String.fromCharCode(97 + (byte % 26))).join(''),
})

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

function base62(bytes: number): string {
  let number = BigInt(`0x${randomBytes(bytes).toString('hex')}`)
  let text = ''
  while (number > 0n) {
    text = DIGITS[Number(number % 62n)] + text
    number /= 62n
  }
  return text
}
