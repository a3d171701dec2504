/**
 * A failure the caller is told about: a code for programs, a sentence for people, the field to blame.
 * Which HTTP status a code becomes is the server's business; anything thrown that is no AppError is a 500.
 */
export class AppError extends Error {
  constructor(
    readonly code: string,
    detail: string,
    readonly attr: string | null = null,
    readonly retry_after_seconds?: number,
    /** What the log should tell of it, and the caller should not. */
    cause?: unknown,
  ) {
    super(detail, { cause })
    this.name = 'AppError'
  }
}

/** Whoever asks did not say who they are, or not rightly, whatever the code says. */
export class Unauthenticated extends AppError {}

/** One sentence for everything that is absent or not the caller's to see, so that the two cannot be told apart. */
export const notFound = (): AppError =>
  new AppError('not_found', "Not found. Check the id, and that the key's user may see it.")

export const forbidden = (detail: string): AppError => new AppError('permission_denied', detail)

export const invalid = (attr: string | null, detail: string, code = 'invalid_input'): AppError =>
  new AppError(code, detail, attr)

export const unavailable = (detail: string, cause?: unknown): AppError =>
  new AppError('unavailable', detail, null, 5, cause)
