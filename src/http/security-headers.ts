import type { Config } from '../config.ts'

const HSTS_SECONDS = 365 * 24 * 3600

/** The headers of every response, errors included. Most responses contain private data, so caching is off by default. */
export const securityHeaders = ({ SITE_URL }: Pick<Config, 'SITE_URL'>): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  // Pages of other sites cannot embed responses. Capture overrides it.
  'cross-origin-resource-policy': 'same-origin',
  // HTML pages override it.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  ...(SITE_URL?.startsWith('https:') && { 'strict-transport-security': `max-age=${HSTS_SECONDS}` }),
})
