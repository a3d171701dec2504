import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors.ts'
import { notJson, requireBounded } from '../json/scan.ts'
import { decodeUtf8, sanitizeBody } from '../json/text.ts'

/** More values than any resource has. Parsing 1 MiB of tiny values takes 120 ms. */
const MAX_BODY_VALUES = 20_000

/** Accepts only JSON bodies, and checks their size before they are parsed. */
export function addJsonParser(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain')
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    // Some clients send a JSON content type with every DELETE, without a body.
    if (bytes.length === 0) return done(null, undefined)
    const accepted = request.operation?.source.requestBody?.content
    if (accepted && !accepted['application/json'])
      return done(
        new AppError({
          code: 'unsupported_media_type',
          detail: `Send the body with "Content-Type: ${Object.keys(accepted).join('" or "')}".`,
        }),
      )
    try {
      let body: unknown
      const text = decodeUtf8(bytes)
      requireBounded(bytes, MAX_BODY_VALUES)
      parse(request, text, (error, parsed) => {
        if (error) throw notJson()
        body = parsed
      })
      done(null, sanitizeBody(body))
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)))
    }
  })
}
