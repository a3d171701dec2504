/** Security headers. Pages send their own content security policy. */
import type { Config } from '../config.ts'

const HSTS_SECONDS = 365 * 24 * 3600

/** For every response, errors included. Responses are not cached by default, because most contain private data. */
export const securityHeaders = ({ SITE_URL }: Pick<Config, 'SITE_URL'>): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  ...(SITE_URL?.startsWith('https:') && { 'strict-transport-security': `max-age=${HSTS_SECONDS}` }),
})
