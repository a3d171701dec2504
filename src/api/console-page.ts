import { AppError } from '../errors.ts'
import { consoleIndex } from './console-files.ts'
import type { RawResponse } from './handler-context.ts'
import { htmlPage } from './html.ts'

/** The console's page. */
export async function consolePage(): Promise<RawResponse> {
  const index = await consoleIndex()
  if (index === null)
    throw new AppError({ code: 'not_found', detail: 'The console is not built. Run "npm run build" and retry.' })
  return htmlPage((nonce) => ({
    html: index(nonce),
    directives: {
      // Components write style elements with the nonce.
      'style-src': `'self' 'nonce-${nonce}'`,
      'img-src': "'self' data:",
      'form-action': "'self'",
    },
  }))
}
