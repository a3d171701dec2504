/** What browsers may do with an answer. Pages send a policy of their own, for their scripts. */
import type { Config } from './config.ts'

const HSTS_SECONDS = 365 * 24 * 3600

/** For every answer, errors included. Nothing is cached unless an operation says so: most answers are somebody's data. */
export const securityHeaders = ({ SITE_URL }: Pick<Config, 'SITE_URL'>): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  ...(SITE_URL?.startsWith('https:') && { 'strict-transport-security': `max-age=${HSTS_SECONDS}` }),
})
