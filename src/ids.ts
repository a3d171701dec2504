import { randomBytes } from 'node:crypto'
import { v7 } from 'uuid'

/** Generates ids and secrets. It is injected like the clock, so tests can replace it. */
export interface Ids {
  uuid(): string
  /** The value of a personal API key: 280 random bits. Only its hash is stored. */
  keyValue(): string
  keyId(): string
  /** The token of a project. It can only send events, and every member sees it. */
  projectToken(): string
  /** The token of a site app. Every visitor of a page with the app sees it. */
  webToken(): string
  /** The token of an invite link: 256 random bits. Only its hash is stored. */
  inviteToken(): string
  /** The value of a session cookie: 256 random bits. Only its hash is stored. */
  sessionToken(): string
  /** The secret of an authenticator app: 160 random bits in base32. */
  totpSecret(): string
  /** A code that replaces the authenticator app once, such as `k3v7-q2xm-9wtr-5hzc`: 80 random bits. */
  backupCode(): string
  /** The challenge that verifies a domain: 43 URL-safe characters. */
  challenge(): string
  /** The secret that signs webhooks: 256 random bits in the format of Standard Webhooks. */
  webhookSecret(): string
  /** Four lower-case letters that make a slug unique. */
  slugSuffix(): string
}

export const makeIds = (milliseconds: () => number): Ids => ({
  uuid: () => v7({ msecs: milliseconds() }),
  keyValue: () => `phx_${base62(35)}`,
  keyId: () => base62(8),
  projectToken: () => `phc_${base62(32)}`,
  webToken: () => base62(32),
  inviteToken: () => base62(32),
  sessionToken: () => randomBytes(32).toString('base64url'),
  totpSecret: () => base32(32).toUpperCase(),
  backupCode: () => base32(16).replace(/(.{4})(?=.)/g, '$1-'),
  challenge: () => randomBytes(32).toString('base64url'),
  webhookSecret: () => `whsec_${randomBytes(32).toString('base64')}`,
  slugSuffix: () => Array.from(randomBytes(4), (byte) => String.fromCharCode(97 + (byte % 26))).join(''),
})

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** Five random bits per character. */
const base32 = (length: number): string => Array.from(randomBytes(length), (byte) => BASE32.charAt(byte & 31)).join('')

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
