/** Grants every scope. */
export const ALL_SCOPES = '*'

/** Whether the granted scopes include the required one. `*` grants all, `x:write` includes `x:read`. */
export function grants(granted: readonly string[], required: string): boolean {
  if (granted.includes(ALL_SCOPES) || granted.includes(required)) return true
  return required.endsWith(':read') && granted.includes(required.replace(/:read$/, ':write'))
}
