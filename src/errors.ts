/** Every error code with the HTTP status and the `type` of its response. `docs/errors.md` explains each. */
export const ERROR_RESPONSES = {
  required: [400, 'validation_error'],
  null: [400, 'validation_error'],
  blank: [400, 'validation_error'],
  max_length: [400, 'validation_error'],
  empty: [400, 'validation_error'],
  not_a_list: [400, 'validation_error'],
  invalid_choice: [400, 'validation_error'],
  does_not_exist: [400, 'validation_error'],
  null_characters_not_allowed: [400, 'validation_error'],
  invalid_input: [400, 'validation_error'],
  unique: [400, 'validation_error'],
  verification_required: [400, 'validation_error'],
  already_verified: [400, 'validation_error'],
  already_claimed: [400, 'validation_error'],
  expired: [400, 'validation_error'],
  already_used: [400, 'validation_error'],
  invalid_recipient: [400, 'validation_error'],
  account_exists: [400, 'validation_error'],
  user_already_member: [400, 'validation_error'],
  inviter_not_allowed: [400, 'validation_error'],
  no_data: [400, 'validation_error'],
  invalid_payload: [400, 'validation_error'],
  event_too_large: [400, 'validation_error'],
  unsupported_property_type: [400, 'validation_error'],
  unsupported_parameter: [400, 'validation_error'],
  result_too_large: [400, 'validation_error'],
  query_timeout: [400, 'validation_error'],
  destination_library_missing: [400, 'validation_error'],
  secret_unreadable: [400, 'validation_error'],
  outbound_refused: [400, 'validation_error'],
  outbound_unresolved: [400, 'validation_error'],
  sso_enforced: [400, 'validation_error'],
  password_too_short: [400, 'validation_error'],
  password_too_weak: [400, 'validation_error'],
  incorrect_password: [400, 'validation_error'],
  invalid_token: [400, 'validation_error'],
  token_invalid: [400, 'validation_error'],
  setup_expired: [400, 'validation_error'],
  '2fa_expired': [400, 'validation_error'],
  '2fa_invalid': [400, 'validation_error'],
  '2fa_too_many_attempts': [400, 'validation_error'],
  '2fa_not_enabled': [400, 'validation_error'],
  '2fa_already_enabled': [400, 'validation_error'],
  email_not_available: [400, 'validation_error'],
  parse_error: [400, 'invalid_request'],
  not_authenticated: [401, 'authentication_error'],
  authentication_failed: [401, 'authentication_error'],
  missing_api_key: [401, 'authentication_error'],
  not_string: [401, 'authentication_error'],
  too_long: [401, 'authentication_error'],
  not_ascii: [401, 'authentication_error'],
  personal_api_key: [401, 'authentication_error'],
  invalid_credentials: [401, 'authentication_error'],
  '2fa_required': [401, 'authentication_error'],
  permission_denied: [403, 'authentication_error'],
  reauthentication_required: [403, 'authentication_error'],
  two_factor_setup_required: [403, 'authentication_error'],
  not_found: [404, 'invalid_request'],
  missing_site_app_source: [404, 'server_error'],
  method_not_allowed: [405, 'invalid_request'],
  not_acceptable: [406, 'invalid_request'],
  conflict: [409, 'invalid_request'],
  request_too_large: [413, 'invalid_request'],
  unsupported_media_type: [415, 'invalid_request'],
  throttled: [429, 'throttled_error'],
  error: [500, 'server_error'],
  unavailable: [503, 'server_error'],
  no_secret_key: [503, 'server_error'],
} as const satisfies Record<string, readonly [status: number, type: string]>

export type ErrorCode = keyof typeof ERROR_RESPONSES

/** Both count from 1; columns are UTF-16 code units. */
export interface TextPosition {
  line: number
  column: number
}

export interface AppErrorFields {
  code: ErrorCode
  /** A message: the problem, then the remedy. */
  detail: string
  /** The field that caused the error. Nested names are joined by `__`. */
  attr?: string | null
  /** Where the error is in the text of the field. */
  position?: TextPosition
  retry_after_seconds?: number
  /** Logged, never sent to the client. */
  cause?: unknown
}

/** An error that the client sees. Any other error becomes a 500 that reveals only the request id. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly attr: string | null
  readonly position: TextPosition | undefined
  readonly retry_after_seconds: number | undefined

  constructor({ code, detail, attr = null, position, retry_after_seconds, cause }: AppErrorFields) {
    super(detail, { cause })
    this.name = 'AppError'
    this.code = code
    this.attr = attr
    this.position = position
    this.retry_after_seconds = retry_after_seconds
  }
}

/** Always a 401. `empty` is one of its codes, which is a 400 elsewhere. */
export class Unauthenticated extends AppError {}

/** The same error for missing resources and for those of other tenants, so that callers cannot tell them apart. */
export const notFound = (): AppError =>
  new AppError({ code: 'not_found', detail: 'Not found. Check the id and that the user of this key has access to it.' })

export const forbidden = (detail: string): AppError => new AppError({ code: 'permission_denied', detail })

export const invalid = (attr: string | null, detail: string, code: ErrorCode = 'invalid_input'): AppError =>
  new AppError({ code, detail, attr })

export const unavailable = (detail: string, cause?: unknown): AppError =>
  new AppError({ code: 'unavailable', detail, retry_after_seconds: 5, cause })

/** The `code` of an error from Node, a database or a library. Empty if there is none. */
export function errorCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  return typeof code === 'string' || typeof code === 'number' ? String(code) : ''
}
