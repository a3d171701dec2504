import type { FastifyInstance } from 'fastify'
import { resolve } from '../contract/table.ts'
import { AppError } from '../errors.ts'
import { formFields, MAX_FORM_FIELDS } from '../form.ts'

const FORM = 'application/x-www-form-urlencoded'

/** Parses form bodies of the operations that take one. For all others they are an unsupported media type. */
export function addFormParser(app: FastifyInstance): void {
  app.addContentTypeParser(FORM, { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    const accepted = request.operation?.source.requestBody?.content[FORM]
    if (!accepted)
      return done(
        new AppError({
          code: 'unsupported_media_type',
          detail: 'Send the body as JSON with "Content-Type: application/json".',
        }),
      )
    const fields = formFields(bytes, Object.keys(resolve(accepted.schema).properties ?? {}))
    if (!fields)
      return done(
        new AppError({
          code: 'parse_error',
          detail: `The form has more than ${MAX_FORM_FIELDS} fields. Send only the fields of this operation.`,
        }),
      )
    done(null, Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value?.toString()])))
  })
}
