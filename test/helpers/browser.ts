import type { Send, TestApp } from './app.ts'

/** A browser: keeps cookies, and sends its origin and the CSRF token as the console does. */
export interface Browser {
  send: Send<BrowserOptions>
  cookies: Map<string, string>
  /** Signs in with a password. Throws if that fails. */
  signIn(email: string, password: string): Promise<void>
}

export interface BrowserOptions {
  body?: unknown
  /** Fields of a form submission. */
  form?: Record<string, string>
  headers?: Record<string, string>
}

export const ORIGIN = 'http://localhost'

/** Opens a page of `origin`. On https, cookies have the `__Host-` prefix. */
export function openBrowser({ send }: Pick<TestApp, 'send'>, origin = ORIGIN): Browser {
  const cookies = new Map<string, string>()
  const csrfCookie = `${origin.startsWith('https:') ? '__Host-' : ''}workspace_csrf`
  const browser: Browser = {
    cookies,
    send: async (method, path, { body, form, headers = {} } = {}) => {
      const csrf = cookies.get(csrfCookie)
      const response = await send(method, path, {
        key: null,
        ...(body !== undefined && { body }),
        ...(form && {
          raw: { type: 'application/x-www-form-urlencoded', payload: new URLSearchParams(form).toString() },
        }),
        headers: {
          host: 'localhost',
          ...(method !== 'GET' && { origin }),
          ...(cookies.size > 0 && { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
          ...(csrf !== undefined && method !== 'GET' && { 'x-csrf-token': csrf }),
          ...headers,
        },
      })
      for (const line of [response.headers['set-cookie'] ?? []].flat()) {
        const [pair = '', ...attributes] = String(line).split('; ')
        const [name = '', value = ''] = pair.split('=')
        if (!isAccepted(name, attributes, origin)) continue
        if (attributes.includes('Max-Age=0')) cookies.delete(name)
        else cookies.set(name, value)
      }
      return response
    },
    signIn: async (email, password) => {
      const response = await browser.send('POST', '/api/login/', { body: { email, password } })
      if (response.status !== 200) throw new Error(`sign-in: ${response.status} ${response.text}`)
    },
  }
  return browser
}

/** Browsers drop a cookie that breaks a rule of its prefix or of its attributes. */
function isAccepted(name: string, attributes: string[], origin: string): boolean {
  const secure = attributes.includes('Secure')
  if (secure && !origin.startsWith('https:')) return false
  if (attributes.includes('SameSite=None') && !secure) return false
  return !name.startsWith('__Host-') || (secure && attributes.includes('Path=/') && !/Domain=/.test(attributes.join()))
}
