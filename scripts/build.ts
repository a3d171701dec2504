/** Bundles src/ and console/ into dist/, or into the folder named by the first argument; `--sourcemap` adds source maps. */
import { copyFile, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import reference from '@scalar/fastify-api-reference'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { fastify } from 'fastify'
import { build as buildConsole } from 'vite'
import { skipOpenApiValidation } from './skip-openapi-validation.ts'

const [, , outdir = 'dist', ...flags] = process.argv
const sourcemap = flags.includes('--sourcemap')

const options: BuildOptions = {
  outdir,
  bundle: true,
  platform: 'node',
  target: 'node22',
  format: 'esm',
  // Native, optional and large packages stay external. Everything else is bundled, so a start reads few files.
  external: [
    'better-sqlite3',
    'pg-native',
    '@duckdb/node-api',
    '@aws-sdk/*',
    '@smithy/*',
    '@azure/*',
    '@node-rs/argon2',
    '@node-saml/node-saml',
    '@xmldom/xmldom',
    'openid-client',
    '@opentelemetry/exporter-trace-otlp-http',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-trace',
  ],
  // CommonJS packages expect these globals.
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
  // Without line breaks, coverage cannot be mapped to lines of the sources.
  minifyWhitespace: !sourcemap,
  // Node prints the source line of an uncaught error. Without a limit, lines have up to 230 kB.
  lineLimit: 120,
  logLevel: 'warning',
  sourcemap,
  plugins: [skipOpenApiValidation],
}

/** The bundle that `serve` and programs that import the package share. */
const SERVER = './server.cjs'

/** Loads the bundle by `require`: `import` would scan all of it for the names of its exports, which takes 14 ms. */
const serverExports = (...names: string[]): string =>
  `import { createRequire } from 'node:module'\nexport const { ${names.join(', ')} } = createRequire(import.meta.url)('${SERVER}')\n`

const useServerBundle: Plugin = {
  name: 'use-server-bundle',
  setup(build) {
    build.onResolve({ filter: /\/serve\.ts$/ }, ({ path }) => ({ path, namespace: 'server' }))
    build.onLoad({ filter: /.*/, namespace: 'server' }, () => ({ contents: serverExports('serve') }))
  },
}

/** Child processes load one file each, so they start quickly. */
const PROCESSES = {
  'reader-process': 'src/events/reader-process.ts',
  'parser-process': 'src/events/parser-process.ts',
  'deliver-process': 'src/exports/deliver-process.ts',
  'inspector-process': 'src/plugins/inspector-process.ts',
  'password-process': 'src/auth/password-process.ts',
  'backup-process': 'src/backups/backup-process.ts',
}

/** The script of the API reference page, as its package serves it. */
async function referenceScript(): Promise<Buffer> {
  const app = fastify()
  await app.register(reference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
  const response = await app.inject('/docs/js/scalar.js')
  await app.close()
  if (response.statusCode !== 200)
    throw new Error(`@scalar/fastify-api-reference responds with ${response.statusCode} for its script.`)
  return response.rawPayload
}

const COMPRESSED = ['.css', '.js', '.svg']

/** Builds the console and writes compressed copies of its files, so the server only streams. */
async function consoleFiles(): Promise<void> {
  const folder = resolve(outdir, 'console')
  await buildConsole({ configFile: 'console/vite.config.ts', build: { outDir: folder } })
  const names = await readdir(folder, { recursive: true })
  await Promise.all(
    names
      .filter((name) => COMPRESSED.includes(extname(name)))
      .map(async (name) => {
        const bytes = await readFile(join(folder, name))
        await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(bytes))
        await writeFile(join(folder, `${name}.gz`), await promisify(gzip)(bytes, { level: 9 }))
      }),
  )
}

const COMMAND = 'node_modules/.bin/workspace-admin'

/** npm does not link the command of the root package. `npx` installs that package into its cache, which takes seconds. */
async function linkCommand(): Promise<void> {
  await mkdir('node_modules/.bin', { recursive: true })
  await rm(COMMAND, { force: true })
  await symlink('../../dist/workspace-admin.js', COMMAND)
}

await rm(outdir, { recursive: true, force: true })
await mkdir(outdir, { recursive: true })
await Promise.all([
  // CommonJS: an `import` of node:http also loads undici for its lazy exports, which takes 30 ms.
  build({
    ...options,
    outdir: undefined,
    outfile: join(outdir, SERVER),
    format: 'cjs',
    stdin: { contents: "export * from './src/cli/serve.ts'; export * from './src/main.ts'", resolveDir: '.' },
    define: { 'import.meta.url': '_url' },
    banner: { js: "const _url = require('node:url').pathToFileURL(__filename).href" },
  }),
  build({
    ...options,
    splitting: true,
    entryPoints: { 'workspace-admin': 'src/cli/workspace-admin.ts' },
    plugins: [useServerBundle],
  }),
  writeFile(join(outdir, 'main.js'), serverExports('readConfig', 'startServer', 'stopOnSignals')),
  ...Object.entries(PROCESSES).map(([name, file]) => build({ ...options, entryPoints: { [name]: file } })),
  ...['openapi.json', 'openapi.posthog.json'].map((name) => copyFile(`src/contract/${name}`, join(outdir, name))),
  writeFile(join(outdir, 'reference.js'), await referenceScript()),
  consoleFiles(),
])
if (outdir === 'dist' && process.platform !== 'win32') await linkCommand()
