import { randomBytes } from 'node:crypto'
import { RawResponse } from './handler-context.ts'

const NONCE_BYTES = 16

interface HtmlPage {
  html: string
  /** Directives of the content security policy that replace the default ones or are added to them. */
  directives: Record<string, string>
}

/**
 * A page with a new nonce, so it must not be cached. Only scripts that carry the nonce run, and the scripts that they load. No
 * URL is allowed as such: the scripts of site apps have the same origin, and an injected tag could name them.
 */
export function htmlPage(page: (nonce: string) => HtmlPage): RawResponse<string> {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url')
  const { html, directives } = page(nonce)
  const policy = Object.entries({
    'default-src': "'none'",
    'script-src': `'nonce-${nonce}' 'strict-dynamic'`,
    'connect-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    ...directives,
  }).map(([name, sources]) => `${name} ${sources}`)
  return new RawResponse('text/html', html, { 'content-security-policy': policy.join('; ') })
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text as the content of an element or of a quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (c) => ENTITIES[c] ?? c)
