export const SESSION_COOKIE = 'workspace_session'
/** Readable by scripts, which copy it into `X-CSRF-Token`. */
export const CSRF_COOKIE = 'workspace_csrf'
/** Identifies a sign-in between its two steps. */
export const PENDING_COOKIE = 'workspace_sign_in'
/** Binds a single sign-on request to the browser that started it. */
export const BROWSER_COOKIE = 'workspace_sso'
/** A provider's identity that waits for the password of its account. */
export const LINK_COOKIE = 'workspace_link'
