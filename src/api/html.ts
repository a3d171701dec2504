import { createHash } from 'node:crypto'
import { RawResponse } from './handler-context.ts'

/** An HTML page whose content security policy allows its own inline script by hash. */
export interface HtmlPage {
  html: string
  /** The exact text between the script tags. */
  script: string
  /** Additional sources by directive. */
  sources?: Record<string, string>
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The response with a policy that only allows requests to this server. */
export function htmlPage({ html, script, sources = {} }: HtmlPage): RawResponse {
  const directives: Record<string, string> = {
    'default-src': "'none'",
    'script-src': hashOf(script),
    'connect-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  }
  for (const [name, source] of Object.entries(sources))
    directives[name] = [directives[name], source].filter(Boolean).join(' ')
  const policy = Object.entries(directives).map(([name, source]) => `${name} ${source}`)
  return new RawResponse('text/html', html, { 'content-security-policy': policy.join('; ') })
}
