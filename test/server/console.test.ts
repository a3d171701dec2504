/** Serving the console: which requests get the page, how its files are cached, and its content security policy. */
import { readdirSync, readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import { openApp } from '../helpers/app.ts'
import { programFile } from '../helpers/programs/process.ts'

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

t.test('serves the page for paths of the console only', async (t) => {
  const { app } = await openApp(t, 'sqlite')
  const get = (url: string, headers: Record<string, string> = HTML, method: 'GET' | 'HEAD' | 'POST' = 'GET') =>
    app.inject({ method, url, headers })
  for (const url of [
    '/',
    '/organizations/1/projects/2/exports',
    '/reset/0/',
    '/verify_email/0/',
    '/account/keys?tab=1',
    '/login',
    '/login/',
    '/signup/99999999-9999-7999-8999-999999999999/',
  ]) {
    const response = await get(url)
    t.match(response, { statusCode: 200, headers: { 'content-type': 'text/html; charset=utf-8' } }, url)
    t.match(response.headers, { 'cache-control': 'no-store', etag: undefined }, `${url} is not cached`)
  }
  for (const [url, headers, method = 'GET'] of [
    ['/api/nothing', HTML],
    ['/docs/none', HTML],
    ['/health/none', HTML],
    ['/assets/none.js', HTML],
    ['/assets/', HTML],
    ['/assets', HTML],
    ['/nothing.html', HTML],
    ['/index.html', HTML],
    ['/..%2fpackage.json', HTML],
    ['/assets/../index.html', HTML],
    ['/exports', { accept: 'application/json' }],
    ['/exports', {}],
    ['/', { accept: '*/*' }],
    ['/exports', HTML, 'POST'],
  ] as const)
    t.match(
      await get(url, headers, method),
      { statusCode: 404, headers: { 'content-type': /json/ } },
      `${method} ${url}`,
    )
  t.equal((await get('/capture/', HTML)).headers['content-type']?.toString().includes('json'), true)
  const head = await get('/', HTML, 'HEAD')
  t.match(head, { statusCode: 200, body: '' })
  t.equal(Number(head.headers['content-length']) > 0, true)
})

t.test('every page has its own nonce, and only scripts with the nonce run', async (t) => {
  const { app } = await openApp(t, 'sqlite')
  const nonces = new Set<string>()
  for (const url of ['/', '/login', '/', '/docs', '/docs']) {
    const { headers, body } = await app.inject({ url, headers: HTML })
    t.equal(headers['cache-control'], 'no-store', `${url} is not cached`)
    const policy = String(headers['content-security-policy'])
    const [, nonce = ''] = /; script-src 'nonce-([\w-]{22})' 'strict-dynamic';/.exec(policy) ?? []
    nonces.add(nonce)
    t.match(policy, /^default-src 'none';/)
    t.notMatch(policy.replace(/style-src [^;]*/, ''), /unsafe/)
    const scripts = body.match(/<script[^>]*>/g) ?? []
    t.ok(scripts.length >= 2)
    t.same(
      scripts.filter((tag) => !tag.includes(` nonce="${nonce}"`)),
      [],
      `every script of ${url} has the nonce`,
    )
    t.notMatch(body, /NONCE_HERE|<script>|<style>|https?:/)
    if (url !== '/docs') t.match(policy, `style-src 'self' 'nonce-${nonce}';`)
  }
  t.equal(nonces.size, 5)
})

t.test('serves compressed files, and lets clients cache hashed files forever', async (t) => {
  const { app } = await openApp(t, 'sqlite')
  const get = (url: string, encoding: string) => app.inject({ url, headers: { 'accept-encoding': encoding } })
  const { body } = await app.inject({ url: '/', headers: HTML })
  const [, script = ''] = /src="(\/assets\/[\w-]+\.js)"/.exec(body) ?? []
  const text = (await get(script, 'identity')).rawPayload
  const brotli = await get(script, 'gzip, deflate, br')
  t.match(brotli.headers, {
    'content-encoding': 'br',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
    'content-type': 'text/javascript; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-length': String(brotli.rawPayload.length),
  })
  t.ok(brotliDecompressSync(brotli.rawPayload).equals(text))
  t.ok(gunzipSync((await get(script, 'gzip')).rawPayload).equals(text))
  for (const [accepted, encoding] of [
    ['br;q=0, gzip', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['brotli', undefined],
    ['gzip;q=0', undefined],
  ] as const)
    t.equal((await get(script, accepted)).headers['content-encoding'], encoding, accepted)
  t.match((await get('/scheme.js', 'br')).headers, { 'cache-control': 'no-cache' })
  t.equal((await get(`${script}.br`, 'br')).statusCode, 404, 'compressed copies have no URL')
  const head = await app.inject({ method: 'HEAD', url: script, headers: { 'accept-encoding': 'identity' } })
  t.match(head, { statusCode: 200, body: '', headers: { 'content-length': String(text.length) } })
})

t.test('pages, files and unknown paths log one line each, without warnings', async (t) => {
  const log = new PassThrough()
  const lines: { level: number; msg: string; url: string }[] = []
  log.on('data', (bytes) => lines.push(JSON.parse(String(bytes))))
  const { app } = await openApp(t, 'sqlite', { log })
  const { body } = await app.inject({ url: '/', headers: HTML })
  const urls = ['/login', ...(body.match(/\/assets\/[\w-]+\.(?:js|css)/g) ?? []), '/scheme.js', '/none.js', '/docs']
  t.ok(urls.length > 5, 'the page has files')
  lines.length = 0
  for (const url of urls)
    for (const method of ['GET', 'HEAD'] as const) await app.inject({ method, url, headers: HTML })
  t.same(
    lines.filter(({ level }) => level > 30).map(({ msg }) => msg),
    [],
  )
  t.same(
    lines.filter(({ msg }) => msg === 'request completed').map(({ url }) => url),
    urls.flatMap((url) => [url, url]),
  )
})

/** The limits of the first page and of any page, in bytes of brotli. */
const FIRST_PAGE_BYTES = 250_000
const ANY_PAGE_BYTES = 330_000

t.test('pages stay small', async (t) => {
  const folder = programFile('console/assets')
  const size = new Map(
    readdirSync(folder)
      .filter((name) => name.endsWith('.br'))
      .map((name) => [name.slice(0, -3), readFileSync(`${folder}/${name}`).length]),
  )
  const text = (name: string): string => readFileSync(`${folder}/${name}`, 'utf8')
  const index = readFileSync(programFile('console/index.html'), 'utf8')
  const first = [...index.matchAll(/\/assets\/([\w.-]+\.(?:js|css))/g)].map(([, name = '']) => name)
  /** Files that a chunk imports before it runs, and the styles that are loaded with it. */
  const needs = (names: string[], found = new Set<string>()): Set<string> => {
    for (const name of names)
      if (!found.has(name)) {
        found.add(name)
        if (name.endsWith('.js'))
          needs(
            [...text(name).matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)].map(([, next = '']) => next),
            found,
          )
      }
    return found
  }
  const bytes = (names: Set<string>): number => [...names].reduce((sum, name) => sum + (size.get(name) ?? 0), 0)
  const start = needs(first)
  const pages = [...size.keys()].filter((name) => /Page-[\w-]+\.js$/.test(name))
  t.ok(pages.length >= 15, `${pages.length} pages have a separate chunk`)
  for (const page of pages) {
    const total = bytes(needs([...first, page]))
    const limit = /^(HomePage|ExportsPage|LoginPage)-/.test(page) ? FIRST_PAGE_BYTES : ANY_PAGE_BYTES
    t.ok(total <= limit, `${page} takes ${total} bytes, ${bytes(start)} of them shared`)
  }
})
