/** A page of another origin loads the site apps of a project, as the browser SDK does. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { ENGINES } from '../helpers/app.ts'
import { only } from '../helpers/assertions/items.ts'
import { openConsole } from '../helpers/programs/console.ts'

t.setTimeout(15 * 60_000)

/** Asks for the settings of the project, and adds a script element for each site app. */
const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Shop</title></head><body><h1>Shop</h1>
<script>
  const query = new URLSearchParams(location.search)
  const [host, token] = [query.get('host'), query.get('token')]
  window.captured = []
  const posthog = { capture: (event, properties) => captured.push([event, properties]) }
  const decide = { method: 'POST', credentials: 'include', body: JSON.stringify({ token }) }
  const settings = query.has('array') ? fetch(host + '/array/' + token + '/config') : fetch(host + '/decide/?v=3', decide)
  settings
    .then((response) => response.json())
    .then(({ siteApps }) => {
      for (const { id, url } of siteApps) {
        window['__$$ph_site_app_' + id] = posthog
        const script = document.createElement('script')
        script.src = host + url
        if (query.has('crossorigin')) script.crossOrigin = 'anonymous'
        script.onerror = () => captured.push(['failed', url])
        document.body.append(script)
      }
    })
</script></body></html>`

const SITE = `interface Config { text: string; color: string; token?: string }
type Posthog = { capture(event: string, properties: object): void }

export function inject({ config, posthog }: { config: Config; posthog: Posthog }): void {
  const banner = document.createElement('div')
  banner.setAttribute('role', 'status')
  banner.textContent = config.text
  banner.style.color = config.color
  document.body.prepend(banner)
  posthog.capture('banner shown', { keys: Object.keys(config) satisfies string[] })
}
`
const MANIFEST = {
  name: 'Banner',
  config: [
    { key: 'text', type: 'string', site: true },
    { key: 'color', type: 'string', site: true, default: 'rgb(1, 2, 3)' },
    { key: 'token', type: 'string', secret: true },
  ],
}
const TEXT = '</script><script>captured.push("broken")</script> <!-- \u2028 naïve'

/** Serves the page. Returns its origin. */
async function openShop(t: Test): Promise<string> {
  const server = createServer((request, response) => {
    const isPage = request.url?.startsWith('/shop') ?? false
    response
      .writeHead(isPage ? 200 : 204, { 'content-type': 'text/html; charset=utf-8' })
      .end(isPage ? PAGE : undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

t.test('a tag that is injected into the console or the reference page does not run a site app', async (t) => {
  const { server, organization, project, api, open, home } = await openConsole(t, 'sqlite', {
    SECRET_KEY: '5e'.repeat(32),
  })
  const plugin = await api('POST', `/api/organizations/${organization}/pipeline_frontend_apps/`, {
    source: {
      'plugin.json': JSON.stringify({ name: 'Marker', config: [] }),
      'site.ts': "export function inject(): void { document.documentElement.dataset.injected = 'site app' }",
    },
  })
  await api('POST', `/api/projects/${project}/plugin_configs/`, { plugin: plugin.id, enabled: true, config: {} })
  const { siteApps } = (await api('GET', `/array/${server.project_token}/config`)) as { siteApps: { url: string }[] }
  const { url } = only(siteApps)
  const inline = "document.documentElement.dataset.injected = 'inline'"
  const signedIn = await open('/account/profile')

  /** Opens a path with tags that the server did not write. */
  const visit = async (path: string, tags: string, withPolicy: boolean): Promise<Page> => {
    // A new page of the same browser, because the violations are expected here.
    const page = await signedIn.context().newPage()
    await page.addInitScript({
      content: `violations = []
addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => violations.push(effectiveDirective + ' ' + blockedURI))`,
    })
    await page.route(`${server.url}${path}`, async (route) => {
      const response = await route.fetch()
      const { 'content-security-policy': policy = '', 'content-length': _, ...headers } = response.headers()
      await route.fulfill({
        status: response.status(),
        headers: { ...headers, ...(withPolicy && { 'content-security-policy': policy }) },
        body: (await response.text()).replace('<head>', `<head>${tags}`),
      })
    })
    await page.goto(path)
    return page
  }
  const injected = (page: Page): Promise<string | undefined> =>
    page.evaluate('document.documentElement.dataset.injected')
  const violations = (page: Page): Promise<string[]> => page.evaluate('violations')

  for (const [path, place, ready, own] of [
    [`${home}/exports`, 'body', 'Exports', []],
    // A library of the reference page tests whether it may evaluate text, and works without it.
    ['/docs', '#reference', 'Workspace administration', ['script-src eval']],
  ] as const) {
    for (const [tags, blocked] of [
      ['', undefined],
      [`<script src="${url}"></script>`, `script-src-elem ${server.url}${url}`],
      [`<script type="module" crossorigin src="${url}"></script>`, `script-src-elem ${server.url}${url}`],
      [`<script nonce="" src="${url}"></script>`, `script-src-elem ${server.url}${url}`],
      [`<script>${inline}</script>`, 'script-src-elem inline'],
      [`<img src="/none" onerror="${inline}">`, 'script-src-attr inline'],
    ] as const) {
      const page = await visit(path, tags, true)
      await page.locator(place).getByRole('heading', { name: ready }).first().waitFor()
      t.equal(await injected(page), undefined, `${path} works and does not run ${tags || 'anything else'}`)
      const reported = new Set(await violations(page))
      t.same(reported, new Set([...(blocked ? [blocked] : []), ...own]), 'and blocks nothing else')
      await page.close()
    }
    const unprotected = await visit(path, `<script src="${url}"></script>`, false)
    await unprotected.locator(place).getByRole('heading', { name: ready }).first().waitFor()
    t.equal(await injected(unprotected), 'site app', 'without the policy the tag would run')
  }
})

for (const engine of ENGINES)
  t.test(`a site app changes a page of another origin and sees its settings (${engine})`, async (t) => {
    const { server, organization, project, api, open } = await openConsole(t, engine, { SECRET_KEY: '5e'.repeat(32) })
    const shop = await openShop(t)
    const plugin = await api('POST', `/api/organizations/${organization}/pipeline_frontend_apps/`, {
      source: { 'plugin.json': JSON.stringify(MANIFEST), 'site.ts': SITE },
    })
    const configs = `/api/projects/${project}/plugin_configs/` as const
    const config = await api('POST', configs, {
      plugin: plugin.id,
      enabled: true,
      config: { text: TEXT, token: 'hush' },
    })
    const query = new URLSearchParams({ host: server.url, token: server.project_token })
    const visit = (more = '') => open(`${shop}/shop?${query}${more}`, { email: null })

    for (const more of ['', '&crossorigin', '&array']) {
      const page = await visit(more)
      const banner = page.getByRole('status')
      await banner.waitFor()
      t.equal(await banner.textContent(), TEXT)
      t.equal(await page.evaluate("getComputedStyle(document.querySelector('[role=status]')).color"), 'rgb(1, 2, 3)')
      t.same(await page.evaluate('captured'), [['banner shown', { keys: ['text', 'color'] }]])
    }

    await t.test('a second visit finds the script in the cache, and changed settings have another URL', async (t) => {
      const page = await visit()
      const network = await page.context().newCDPSession(page)
      await network.send('Network.enable')
      const cached: string[] = []
      const loaded: string[] = []
      network.on('Network.requestServedFromCache', ({ requestId }) => cached.push(requestId))
      network.on('Network.responseReceived', ({ requestId, response: { url, fromDiskCache } }) => {
        if (url.includes('/site_app/')) loaded.push(fromDiskCache || cached.includes(requestId) ? 'cache' : 'server')
      })
      const revisit = async (text: string): Promise<void> => {
        await page.reload()
        await page.getByRole('status').filter({ hasText: text }).waitFor()
      }
      await revisit('naïve')
      await api('PATCH', `${configs}${config.id}/`, { config: { text: 'Sale', token: null } })
      await revisit('Sale')
      // The browser may report a response from its cache twice.
      t.same([...new Set(loaded)], ['cache', 'server'])
    })

    await t.test('a disabled app is gone at the next visit', async (t) => {
      await api('PATCH', `${configs}${config.id}/`, { enabled: false })
      const page = await visit()
      await page.waitForLoadState('networkidle')
      t.same(await page.evaluate('[document.querySelectorAll("[role=status]").length, captured]'), [0, []])
    })
  })
