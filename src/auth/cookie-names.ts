export const SESSION_COOKIE = 'workspace_session'
/** Readable by scripts, which copy it into `X-CSRF-Token`. */
export const CSRF_COOKIE = 'workspace_csrf'
/** Identifies a sign-in between its two steps. */
export const PENDING_COOKIE = 'workspace_sign_in'
