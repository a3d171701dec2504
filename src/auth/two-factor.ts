/** Time-based one-time passwords (RFC 6238: SHA-1, 6 digits, 30 seconds) and backup codes. */
import type { Ids } from '../ids.ts'
import { sha256 } from './hash.ts'

const ISSUER = 'workspace-admin'
const PERIOD_MS = 30_000
/** A code of the step before or after is accepted, for clocks that differ. */
const TOLERATED_STEPS = 1
const BACKUP_CODES = 10

export interface TotpSetup {
  /** In base32. */
  secret: string
  otpauth_url: string
  qr_code_svg: string
}

export async function createTotp(ids: Ids, email: string): Promise<TotpSetup> {
  const { Secret, TOTP } = await import('otpauth')
  const { renderSVG } = await import('uqr')
  const secret = Secret.fromBase32(ids.totpSecret())
  const otpauth_url = new TOTP({ issuer: ISSUER, label: email, secret }).toString()
  return { secret: secret.base32, otpauth_url, qr_code_svg: renderSVG(otpauth_url) }
}

/** Returns the time step of a valid code. The caller must refuse a step that was used before. */
export async function totpStep(secret: string, token: string, milliseconds: number): Promise<number | null> {
  if (!/^[0-9]{6}$/.test(token)) return null
  const { Secret, TOTP } = await import('otpauth')
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  const delta = totp.validate({ token, timestamp: milliseconds, window: TOLERATED_STEPS })
  return delta === null ? null : Math.floor(milliseconds / PERIOD_MS) + delta
}

export const createBackupCodes = (ids: Ids): string[] => Array.from({ length: BACKUP_CODES }, ids.backupCode)

/** Dashes, spaces and case do not matter. */
export const backupCodeHash = (code: string): string =>
  sha256(code.toLowerCase().replaceAll('-', '').replaceAll(' ', ''))
