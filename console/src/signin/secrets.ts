const taken = new Map<string, string>()

/** The fragment of the address, which is removed from it so that it does not stay in the history. */
export function takeFragment(): string {
  const fragment = location.hash.slice(1)
  if (fragment !== '') {
    history.replaceState(history.state, '', location.pathname + location.search)
    taken.set(location.pathname, fragment)
  }
  return taken.get(location.pathname) ?? ''
}

/**
 * The secret of a link, which the page still has after a reload. It stays in the storage of this tab until it is
 * forgotten.
 */
export function keepSecret(name: string, fromAddress: string | null): string {
  if (fromAddress) sessionStorage.setItem(name, fromAddress)
  return fromAddress || (sessionStorage.getItem(name) ?? '')
}

export const forgetSecret = (name: string): void => sessionStorage.removeItem(name)
