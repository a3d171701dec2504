/** From src/ to dist/, or to the folder given: one program in a few files, without what only building and testing need. */
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import reference from '@scalar/fastify-api-reference'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { fastify } from 'fastify'
import { checkedWhenGenerated } from './checked-when-generated.ts'

const outdir = process.argv[2] ?? 'dist'

/**
 * The server is bundled apart from the other commands: what it shared with them would come in files of its own, and
 * reading twenty small files makes a start 15 ms slower than reading five.
 */
const serverApart: Plugin = {
  name: 'server-apart',
  setup(build) {
    build.onResolve({ filter: /\/serve\.ts$/, namespace: 'file' }, ({ kind }) =>
      kind === 'entry-point' ? undefined : { path: './serve.js', external: true },
    )
  },
}

const options: BuildOptions = {
  outdir,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
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
  logLevel: 'warning',
}

await rm(outdir, { recursive: true, force: true })
await mkdir(outdir, { recursive: true })
await build({
  ...options,
  entryPoints: { serve: 'src/cli/serve.ts', main: 'src/main.ts' },
  plugins: [checkedWhenGenerated],
})
await build({
  ...options,
  entryPoints: { 'workspace-admin': 'src/cli/workspace-admin.ts' },
  plugins: [serverApart],
})
// Readers of events are processes of their own, and start by reading one small file.
await build({ ...options, splitting: false, entryPoints: { 'reader-process': 'src/events/reader-process.ts' } })
await build({ ...options, splitting: false, entryPoints: { 'deliver-process': 'src/exports/deliver-process.ts' } })
// So is what reads the code of plugins, with a parser that nobody else needs.
await build({ ...options, splitting: false, entryPoints: { 'inspector-process': 'src/plugins/inspector-process.ts' } })
for (const name of ['openapi.json', 'openapi.posthog.json']) await copyFile(`src/contract/${name}`, join(outdir, name))

/** The script of the reference page, as the package itself would serve it. */
const app = fastify()
await app.register(reference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
const script = await app.inject('/docs/js/scalar.js')
if (script.statusCode !== 200) throw new Error(`the reference page has no script: ${script.statusCode}`)
await writeFile(join(outdir, 'reference.js'), script.rawPayload)
await app.close()
