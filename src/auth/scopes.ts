/** Whether the held scopes grant the required one. `*` grants all, `x:write` includes `x:read`. */
export function grants(held: readonly string[], required: string): boolean {
  if (held.includes('*') || held.includes(required)) return true
  return required.endsWith(':read') && held.includes(required.replace(/:read$/, ':write'))
}
