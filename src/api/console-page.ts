import { randomBytes } from 'node:crypto'
import { consoleIndex } from '../console-files.ts'
import { AppError } from '../errors.ts'
import { RawResponse } from './handler-context.ts'

const NONCE_BYTES = 16

/** The console's page. Every response has its own nonce, so it must not be cached. */
export async function consolePage(): Promise<RawResponse> {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url')
  const html = await consoleIndex(nonce)
  if (html === null)
    throw new AppError({ code: 'not_found', detail: 'The console is not built. Run "npm run build" and retry.' })
  return new RawResponse('text/html', html, { 'content-security-policy': policyWith(nonce) })
}

/** Scripts come only from files. Components write style elements, which need the nonce. */
const policyWith = (nonce: string): string =>
  [
    "default-src 'self'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
