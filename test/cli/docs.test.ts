/** `workspace-admin docs`: every page, link and anchor works, offline, without a database. */
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { renderPage } from '../../src/cli/docs-page.ts'
import { PAGES } from '../helpers/assertions/pages.ts'
import { freshFolder } from '../helpers/folders.ts'
import { command, runCommand } from '../helpers/programs/process.ts'

interface DocsServer {
  url: string
  folder: string
}

async function startDocs(t: Test): Promise<DocsServer> {
  const folder = freshFolder(t)
  const child = command(['docs'], { HOME: folder, DATABASE_URL: 'postgres://127.0.0.1:9/none' }, { cwd: folder })
  t.teardown(() => child.kill())
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(([code]) => [`The command exited with ${code}.`]),
  ])
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(String(line)) ?? []
  if (!url) throw new Error(String(line))
  return { url, folder }
}

const matches = (html: string, pattern: RegExp): string[] => [...html.matchAll(pattern)].map(([, found = '']) => found)

t.test('every page is served, and every link of a page works', async (t) => {
  const { url, folder } = await startDocs(t)
  const bodies = new Map<string, { type: string; text: string }>()
  const open = async (path: string): Promise<{ type: string; text: string }> => {
    const known = bodies.get(path)
    if (known) return known
    const response = await fetch(url + path)
    t.equal(response.status, 200, path)
    const body = { type: response.headers.get('content-type') ?? '', text: await response.text() }
    bodies.set(path, body)
    return body
  }
  const first = await fetch(url)
  const queue = [new URL(first.url).pathname]
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    const { type, text } = await open(path)
    if (!type.startsWith('text/html') || path === '/docs') continue
    for (const link of matches(text, / (?:href|src)="([^"]+)"/g)) {
      const target = new URL(link, url + path)
      if (target.origin !== url) continue
      if (!bodies.has(target.pathname)) queue.push(target.pathname)
      const { text: linked } = await open(target.pathname)
      const anchor = decodeURIComponent(target.hash.slice(1))
      if (anchor) t.ok(linked.includes(` id="${anchor}"`), `${path} links to ${link}`)
    }
  }
  t.strictSame(
    PAGES.filter((page) => !bodies.has(`/${page}`)),
    [],
    'every page can be reached',
  )
  t.strictSame(readdirSync(folder), [], 'no data is created')
})

t.test('pages run nothing, and only files of the documentation are served', async (t) => {
  const { url } = await startDocs(t)
  const { headers } = await fetch(`${url}/docs/concepts.md`)
  t.match(headers.get('content-security-policy'), /^default-src 'none'; style-src 'self'; img-src 'self';/)
  t.notMatch(headers.get('content-security-policy'), /script|unsafe/)
  t.equal(headers.get('x-content-type-options'), 'nosniff')
  for (const path of [
    '/package.json',
    '/src/config.ts',
    '/docs/../package.json',
    '/docs/..%2fpackage.json',
    '/docs/%2e%2e/package.json',
    '//etc/passwd',
    '/docs/none.md',
  ])
    t.equal((await fetch(url + path)).status, 404, path)
  t.equal((await fetch(`${url}/docs/concepts.md`, { method: 'POST' })).status, 405)
  t.match(await fetch(`${url}/docs/concepts.md`, { method: 'HEAD' }), { status: 200 })
})

t.test('the API reference works without a server', async (t) => {
  const { url } = await startDocs(t)
  const page = await (await fetch(`${url}/docs`)).text()
  t.match(page, '<code>GET /api/organizations/</code>')
  t.match(page, 'hideTestRequestButton: true', 'this server answers no requests of the contract')
  const script = await fetch(`${url}/docs/reference.js`)
  t.match(await script.text(), /createApiReference/)
  t.match(await (await fetch(`${url}/openapi.json`)).json(), { openapi: '3.1.0' })
})

t.test('raw HTML is shown as text, and comments are not', async (t) => {
  const page = { path: '/docs/x.md', title: '<b>' }
  const html = renderPage(
    page,
    '<!-- Generated -->\n# A\n\n<script>alert(1)</script>\n\ntext <img src=x onerror=alert(1)> `<i>`\n\n## A\n\n## A',
    [page],
  )
  t.notMatch(html, /<script|<img|<b>|<i>/)
  t.match(html, '&lt;script&gt;')
  t.notMatch(html, 'Generated')
  t.match(html, 'id="a-1"', 'headings with the same text have different anchors')
  t.match(html, 'href="#a-2"', 'and the table of contents links to them')
})

t.test('a port that is not free or not a port is an error with a remedy', async (t) => {
  const { url, folder } = await startDocs(t)
  const { port } = new URL(url)
  t.match(await runCommand(['docs', '--port', port], {}, { cwd: folder }), { code: 1, stderr: /is in use.*--port/ })
  for (const wrong of ['-1', '65536', 'http'])
    t.match(await runCommand(['docs', `--port=${wrong}`], {}, { cwd: folder }), { code: 2, stderr: /--port must be/ })
})
