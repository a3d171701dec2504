/** Drives the console in a real Chromium against a real server process. */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Test } from 'tap'
import type { Engine } from '../../../src/sql/template.ts'
import { defined, only } from '../assertions/items.ts'
import { freshFolder } from '../folders.ts'
import type { BodyAt } from '../response-bodies.ts'
import { launchChromium } from './chromium.ts'
import { freePort, migratedDatabase } from './postgres.ts'
import { type ServerProcess, serveArguments, setPassword, startProcess } from './process.ts'

export const PASSWORD = 'correct horse battery staple 42'
export const OWNER = 'owner@example.com'

/** Where screenshots are stored, by name. */
const SCREENSHOTS = resolve('.tap/screenshots')
const DESKTOP = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }

export interface Console {
  server: ServerProcess
  /** The ids of the first organization and its project. */
  organization: string
  project: number
  /** Where the pages of the first project are, without a trailing slash. */
  home: string
  /** A page that is signed in as the owner, or as `email`, or not at all. */
  open(path: string, options?: OpenOptions): Promise<Page>
  /** Sends a request with the first key. Throws on an error response. */
  api<const Method extends string, const Url extends string>(
    method: Method,
    path: Url,
    body?: unknown,
  ): Promise<BodyAt<Method, Url>>
  /** Captures events. */
  capture(
    events: { event: string; distinct_id?: string; timestamp?: string; properties?: object; uuid?: string }[],
  ): Promise<void>
  /** Adds a member with the password PASSWORD. */
  member(email: string, level: 1 | 8 | 15): Promise<void>
  /** Takes screenshots at desktop and phone width, and checks accessibility in both themes. */
  inspect(page: Page, name: string): Promise<void>
}

interface ConsoleOptions {
  /** Sends mails there. The links in them lead to this server. */
  mail?: { url: string }
  /** The password of the owner; null leaves the account as the first start creates it. */
  password?: string | null
}

interface OpenOptions {
  email?: string | null
  width?: 'desktop' | 'phone'
}

/**
 * Starts a server on a new database and a browser. Console errors and policy violations of any page fail the test.
 * With `SITE_URL`, the server listens on the port of that URL.
 */
export async function openConsole(
  t: Test,
  engine: Engine = 'sqlite',
  environment: Record<string, string> = {},
  { mail, password = PASSWORD }: ConsoleOptions = {},
): Promise<Console> {
  const errors: string[] = []
  // The first teardown runs last, so the browser and the server are closed even if this one throws.
  t.teardown(() => {
    if (errors.length) throw new Error(`The browser reported errors:\n${errors.join('\n')}`)
  })
  const postgres = engine === 'postgres' ? await migratedDatabase() : undefined
  const folder = freshFolder(t)
  const database_url = environment.DATABASE_URL ?? postgres?.url ?? `sqlite:${folder}`
  const port = mail ? String(await freePort()) : new URL(environment.SITE_URL ?? 'http://127.0.0.1:0').port
  const server = await startProcess(
    t,
    {
      DATABASE_URL: database_url,
      EXPORT_FOLDER: join(folder, 'exports'),
      ...(mail && { SMTP_URL: mail.url, SITE_URL: `http://127.0.0.1:${port}` }),
      ...environment,
    },
    serveArguments('--port', port),
  )
  t.teardown(async () => {
    await server.kill()
    await postgres?.drop()
  })
  const browser = await launchChromium()
  t.teardown(() => browser.close())

  const api: Console['api'] = async (method, path, body) => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${server.api_key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  if (password !== null) {
    await api('PATCH', '/api/users/@me/', { first_name: 'Olivia', last_name: 'Owner' })
    await setPassword(database_url, OWNER, password)
  }
  const me = await api('GET', '/api/users/@me/')
  const organization = defined(me.organization).id
  const project = defined(me.team).id
  const sessions = new Map<string, BrowserContext>()

  /** Signs in once per user and width. Pages of one user share cookies. */
  const contextOf = async (email: string | null, width: 'desktop' | 'phone'): Promise<BrowserContext> => {
    const name = `${email} ${width}`
    const existing = sessions.get(name)
    if (existing) return existing
    const context = await newContext(browser, server.url, width)
    sessions.set(name, context)
    if (email !== null) {
      const response = await context.request.post('/api/login/', {
        data: { email, password: PASSWORD },
        headers: { origin: server.url },
      })
      if (!response.ok()) throw new Error(`sign-in of ${email}: ${response.status()} ${await response.text()}`)
    }
    return context
  }

  return {
    server,
    organization,
    project,
    home: `/organizations/${organization}/projects/${project}`,
    api,
    open: async (path, { email = OWNER, width = 'desktop' } = {}) => {
      const context = await contextOf(email, width)
      const page = await context.newPage()
      collectErrors(page, errors)
      await page.goto(path)
      return page
    },
    capture: async (events) => {
      const batch = events.map(({ distinct_id = 'ada', properties = {}, ...event }) => ({
        ...event,
        properties: { distinct_id, ...properties },
      }))
      await api('POST', '/batch/', { api_key: server.project_token, batch })
    },
    member: async (email, level) => {
      const created = await api('POST', `/api/organizations/${organization}/invites/bulk/`, [
        { target_email: email, first_name: email.split('@')[0], level },
      ])
      const invite = only([created].flat())
      const response = await fetch(`${server.url}/api/signup/${invite.id}/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token: invite.signup_token, password: PASSWORD }),
      })
      if (!response.ok) throw new Error(`signup of ${email}: ${response.status} ${await response.text()}`)
    },
    inspect: async (page, name) => {
      mkdirSync(SCREENSHOTS, { recursive: true })
      await page.locator('h1, h2').first().waitFor({ state: 'attached' })
      // In a full screenshot of a scrolled page, the fixed header would cover the middle.
      await page.evaluate('scrollTo(0, 0)')
      const original = page.viewportSize() ?? DESKTOP
      for (const scheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: scheme })
        await page.screenshot({ path: join(SCREENSHOTS, `${name}-${scheme}.png`), fullPage: true })
        const { violations } = await new AxeBuilder({ page }).analyze()
        t.strictSame(
          violations.map(({ id, nodes }) => [
            id,
            ...nodes.map(({ target, failureSummary }) => [target, failureSummary]),
          ]),
          [],
          `${name} is accessible with the ${scheme} theme`,
        )
      }
      await page.emulateMedia({ colorScheme: 'light' })
      await page.setViewportSize(PHONE)
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-phone.png`), fullPage: true })
      t.ok(
        await page.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth'),
        `${name} fits the width of a phone`,
      )
      await page.setViewportSize(original)
    },
  }
}

const newContext = (browser: Browser, baseURL: string, width: 'desktop' | 'phone'): Promise<BrowserContext> =>
  browser.newContext({
    baseURL,
    viewport: width === 'phone' ? PHONE : DESKTOP,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    locale: 'en-US',
    timezoneId: 'Europe/Berlin',
  })

/**
 * How much the page moved by itself since it was loaded, as the browser measures it: the sum of the moved shares of the
 * screen times their distance. Movements after an input do not count.
 */
export const layoutShift = (page: Page): Promise<number> =>
  page.evaluate<number>(`new Promise((resolve) => {
    let sum = 0
    const observer = new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) sum += value
    })
    observer.observe({ type: 'layout-shift', buffered: true })
    setTimeout(() => resolve(sum), 200)
  })`)

const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) => {
  console.error('policy violation: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile)
})`

/** Failed requests with a 4xx status are logged by the browser too, but they are answers that tests provoke. */
function collectErrors(page: Page, errors: string[]): void {
  page.on('pageerror', (error) => errors.push(`${page.url()}: ${error.stack}`))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of (4\d\d|503)/.test(message.text()))
      errors.push(`${page.url()}: ${message.text()}`)
  })
  void page.addInitScript({ content: REPORT_VIOLATIONS })
}
