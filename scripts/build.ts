/**
 * Bundles src/ and console/ into dist/, or into the folder named by the first argument. `--types` adds the type
 * declarations, which takes several seconds. `--lines` keeps the line breaks of the sources, for coverage.
 */
import { copyFile, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { extname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import reference from '@scalar/fastify-api-reference'
import { type BuildOptions, type BuildResult, build, type Plugin } from 'esbuild'
import { fastify } from 'fastify'
import { build as buildConsole } from 'vite'
import packageJson from '../package.json' with { type: 'json' }
import { bundleLibrary } from '../src/plugins/runtime/library-text.ts'
import { writeDialects } from './dialects.ts'
import { licensesOf } from './licenses.ts'
import { PROCESSES } from './processes.ts'
import { skipOpenApiValidation } from './skip-openapi-validation.ts'

const [, , outdir = 'dist', ...flags] = process.argv
const keepsLines = flags.includes('--lines')

const options = {
  outdir,
  bundle: true,
  platform: 'node',
  target: 'node22',
  format: 'esm',
  // The dependencies of the package: native, optional and large ones. Everything else is bundled, so that an install is
  // small and a start reads few files.
  external: [
    ...Object.keys(packageJson.dependencies),
    // The server calls the API also without traces. It is small, and its instances share one registry.
    ...Object.keys(packageJson.peerDependencies).filter((name) => name !== '@opentelemetry/api'),
    'pg-native',
  ],
  // Its ES module declares __dirname, which the banner declares too.
  alias: { 'jq-wasm': createRequire(import.meta.url).resolve('jq-wasm') },
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
  minifyWhitespace: !keepsLines,
  // Node prints the source line of an uncaught error. Without a limit, lines have up to 230 kB.
  lineLimit: 120,
  logLevel: 'warning',
  sourcemap: true,
  metafile: true,
  plugins: [skipOpenApiValidation],
} satisfies BuildOptions

/** The bundle that `serve` and programs that import the package share. */
const SERVER = './server.cjs'

const ENTRY_EXPORTS = ['readConfig', 'startServer', 'stopOnSignals']

/** Loads the bundle by `require`: `import` would scan all of it for the names of its exports, which takes 14 ms. */
const serverExports = (...names: string[]): string =>
  `import { createRequire } from 'node:module'\nexport const { ${names.join(', ')} } = createRequire(import.meta.url)('${SERVER}')\n`

const useServerBundle: Plugin = {
  name: 'use-server-bundle',
  setup(build) {
    build.onResolve({ filter: /\/serve\.ts$/ }, ({ path }) => ({ path, namespace: 'server' }))
    build.onLoad({ filter: /.*/, namespace: 'server' }, () => ({
      resolveDir: 'src/cli',
      contents: serverExports('serve'),
    }))
  },
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

/** Writes the copies that the server sends to clients that accept their encodings. */
async function writeCompressed(file: string, bytes: Buffer): Promise<void> {
  await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes))
  await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }))
}

async function writeReference(): Promise<void> {
  const file = join(outdir, 'reference-script.js')
  const script = await referenceScript()
  await writeFile(file, script)
  await writeCompressed(file, script)
}

/** Builds the console and compresses its files, so the server only streams. */
async function consoleFiles(): Promise<void> {
  const folder = resolve(outdir, 'console')
  await buildConsole({ configFile: 'console/vite.config.ts', build: { outDir: folder } })
  const names = await readdir(folder, { recursive: true })
  await Promise.all(
    names
      .filter((name) => COMPRESSED.includes(extname(name)))
      .map(async (name) => writeCompressed(join(folder, name), await readFile(join(folder, name)))),
  )
}

const COMMAND = 'node_modules/.bin/workspace-admin'

/** npm does not link the command of the root package, and `npx` looks for it here. */
async function linkCommand(): Promise<void> {
  await mkdir('node_modules/.bin', { recursive: true })
  await rm(COMMAND, { force: true })
  await symlink('../../dist/workspace-admin.js', COMMAND)
}

/** The licenses of the bundled packages require that copies contain them. Those of the console are in its folder. */
async function writeLicenses(): Promise<void> {
  const files = (await Promise.all(bundles)).flatMap(({ metafile }) => Object.keys(metafile.inputs))
  await writeFile(join(outdir, 'licenses.txt'), licensesOf([...files, 'node_modules/@scalar/fastify-api-reference/_']))
}

/** Loaded on demand, because the compiler is large. */
async function writeTypes(): Promise<void> {
  const { packageTypes } = await import('./types.ts')
  const types = packageTypes()
  for (const name of ['main.d.ts', 'main.d.cts']) await writeFile(join(outdir, name), types)
}

await writeDialects()
await rm(outdir, { recursive: true, force: true })
await mkdir(outdir, { recursive: true })
const bundles: Promise<BuildResult<{ metafile: true }>>[] = [
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
  ...Object.entries(PROCESSES).map(([name, file]) => build({ ...options, entryPoints: { [name]: file } })),
]
await Promise.all([
  // Node finds the names of the exports in this form.
  writeFile(
    join(outdir, 'main.cjs'),
    `const { ${ENTRY_EXPORTS.join(', ')} } = require('${SERVER}')\nmodule.exports = { ${ENTRY_EXPORTS.join(', ')} }\n`,
  ),
  ...['openapi.json', 'openapi.posthog.json'].map((name) => copyFile(`src/contract/${name}`, join(outdir, name))),
  writeFile(join(outdir, 'sandbox-library.js'), bundleLibrary()),
  copyFile(
    fileURLToPath(import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm')),
    join(outdir, 'quickjs.wasm'),
  ),
  writeReference(),
  copyFile(fileURLToPath(import.meta.resolve('jq-wasm/jq.wasm')), join(outdir, 'jq.wasm')),
  consoleFiles(),
  writeLicenses(),
  ...(flags.includes('--types') ? [writeTypes()] : []),
])
// Its time tells whether the build is complete and newer than the sources.
await writeFile(join(outdir, 'main.js'), serverExports(...ENTRY_EXPORTS))
if (outdir === 'dist' && process.platform !== 'win32') await linkCommand()
