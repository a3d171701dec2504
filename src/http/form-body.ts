import type { FastifyInstance } from 'fastify'
import { AppError } from '../errors.ts'

const FORM = 'application/x-www-form-urlencoded'

/** Parses form bodies of the operations that take one. For all others they are an unsupported media type. */
export function addFormParser(app: FastifyInstance): void {
  app.addContentTypeParser(FORM, { parseAs: 'string' }, (request, text, done) => {
    if (!request.operation?.source.requestBody?.content[FORM])
      return done(
        new AppError({
          code: 'unsupported_media_type',
          detail: 'Send the body as JSON with "Content-Type: application/json".',
        }),
      )
    done(null, Object.fromEntries(new URLSearchParams(text.toString())))
  })
}
