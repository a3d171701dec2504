/** From src/ to dist/, or to the folder given: one program in a few files, without what only building and testing need. */
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import reference from '@scalar/fastify-api-reference'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { fastify } from 'fastify'
import { checkedWhenGenerated } from './checked-when-generated.ts'

const outdir = process.argv[2] ?? 'dist'

/** The server is a script of its own (`src/cli/precompiled.ts`), which the commands load when they need it. */
const serverApart: Plugin = {
  name: 'server-apart',
  setup(build) {
    build.onResolve({ filter: /\/serve\.ts$/, namespace: 'file' }, () => ({ path: './serve.js', external: true }))
  },
}

const options: BuildOptions = {
  outdir,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node22',
  format: 'esm',
  // Native, optional and large parts that few load stay packages; everything else becomes one file a start reads in one go.
  external: ['better-sqlite3', 'pg-native', '@duckdb/node-api', '@aws-sdk/*', '@smithy/*', '@azure/*'],
  // What CommonJS packages expect to find around them.
  banner: {
    js: [
      "import { createRequire as _createRequire } from 'node:module'",
      "import { fileURLToPath as _fileURLToPath } from 'node:url'",
      'const require = _createRequire(import.meta.url)',
      'const __filename = _fileURLToPath(import.meta.url)',
      "const __dirname = _fileURLToPath(new URL('.', import.meta.url))",
    ].join(';'),
  },
  legalComments: 'none',
  minifySyntax: true,
  minifyWhitespace: true,
  // An error that nobody catches is printed with its line, which would be up to 230 kB long.
  lineLimit: 120,
  logLevel: 'warning',
}

await rm(outdir, { recursive: true, force: true })
await mkdir(outdir, { recursive: true })
await build({
  ...options,
  splitting: false,
  format: 'cjs',
  outdir: undefined,
  outfile: join(outdir, 'server.cjs'),
  stdin: { contents: "export * from './src/cli/serve.ts'; export * from './src/main.ts'", resolveDir: '.' },
  define: { 'import.meta.url': '_url' },
  banner: {
    js: "(function (exports, require, module, __filename, __dirname) { 'use strict'; const _url = require('node:url').pathToFileURL(__filename).href",
  },
  footer: { js: '})' },
  plugins: [checkedWhenGenerated],
})
// It is read a byte a character, in 3 ms instead of 12. esbuild escapes all but the text of tagged templates.
if (/[^\0-\x7f]/.test(await readFile(join(outdir, 'server.cjs'), 'latin1')))
  throw new Error('server.cjs holds a character that is not ASCII: write it as an escape, or leave it to the database.')
await build({
  ...options,
  entryPoints: { 'workspace-admin': 'src/cli/workspace-admin.ts', precompiled: 'src/cli/precompiled.ts' },
  plugins: [serverApart],
})
for (const [name, exported] of [
  ['serve', 'OPTIONS, plainly, start'],
  ['main', 'readConfig, startServer, stopOnSignals'],
])
  await writeFile(
    join(outdir, `${name}.js`),
    `import { server } from './precompiled.js'; export const { ${exported} } = server\n`,
  )
// Readers of events are processes of their own, and start by reading one small file.
await build({ ...options, splitting: false, entryPoints: { 'reader-process': 'src/events/reader-process.ts' } })
await build({ ...options, splitting: false, entryPoints: { 'parser-process': 'src/events/parser-process.ts' } })
await build({ ...options, splitting: false, entryPoints: { 'deliver-process': 'src/exports/deliver-process.ts' } })
// So is what reads the code of plugins, with a parser that nobody else needs.
await build({ ...options, splitting: false, entryPoints: { 'inspector-process': 'src/plugins/inspector-process.ts' } })
for (const name of ['openapi.json', 'openapi.posthog.json']) await copyFile(`src/contract/${name}`, join(outdir, name))

/** The script of the reference page, as the package itself would serve it. */
const app = fastify()
await app.register(reference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
const page = await app.inject('/docs/js/scalar.js')
if (page.statusCode !== 200) throw new Error(`the reference page has no script: ${page.statusCode}`)
await writeFile(join(outdir, 'reference.js'), page.rawPayload)
await app.close()

/** What V8 makes of the server until it has answered once. */
const { script, sealed, server } = await import(pathToFileURL(resolve(outdir, 'precompiled.js')).href)
const running = await server
  .startServer({ config: server.readConfig({ PORT: '0', LOG_LEVEL: 'silent' }), ephemeral: true })
  .catch((error: Error) => {
    console.error(`The built server does not start here, so ${outdir} lacks server.cache. ${error.message}`)
    process.exit(1)
  })
const answer = await fetch(`${running.url}/api/organizations/@current/`, {
  headers: { authorization: `Bearer ${running.first.api_key}` },
})
if (answer.status !== 200) throw new Error(`the built server answers ${answer.status}`)
await writeFile(join(outdir, 'server.cache'), sealed(script.createCachedData()))
await running.stop()
