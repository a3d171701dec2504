/**
 * Compiles sources and tests, file by file, into the folder named by the first argument. With a loader that compiles at
 * run time, each test file would take seconds to start.
 */
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { bundleLibrary } from '../src/plugins/runtime/library-text.ts'
import { skipOpenApiValidation } from './skip-openapi-validation.ts'

const [, , outdir = '.tap/compiled'] = process.argv

/** Relative paths of other source files. */
const SOURCE_PATHS = /(\b(?:from|import)\s*\(?\s*|\bnew URL\(\s*)'(\.{1,2}\/[^'\n]+)\.ts'/g

const compiledPaths: Plugin = {
  name: 'compiled-paths',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(SOURCE_PATHS, "$1'$2.js'"),
      loader: 'ts',
    }))
  },
}

const options: BuildOptions = {
  platform: 'node',
  target: 'node22',
  format: 'esm',
  supported: { 'import-attributes': true },
  logLevel: 'warning',
}

// The code of plugins is text for the tests.
const tests = (await readdir('test', { recursive: true })).filter(
  (file) => file.endsWith('.ts') && !file.startsWith(join('fixtures', 'plugins')),
)
const data = (await readdir('src', { recursive: true })).filter((file) => file.endsWith('.json'))
// The program, which scripts/build.ts writes into the same folder, is kept.
for (const folder of ['src', 'client', 'scripts', 'test'])
  await rm(join(outdir, folder), { recursive: true, force: true })
await Promise.all([
  build({
    ...options,
    entryPoints: [
      ...['src', 'client/src', 'scripts'].map((folder) => `${folder}/**/*.ts`),
      ...tests.map((file) => join('test', file)),
    ],
    outbase: '.',
    outdir,
    sourcemap: true,
    sourcesContent: false,
    plugins: [compiledPaths],
  }),
  // Node finds these copies before those in the outer node_modules.
  build({
    ...options,
    entryPoints: ['fastify-openapi-glue'],
    bundle: true,
    outfile: join(outdir, 'node_modules/fastify-openapi-glue/index.js'),
    external: ['fastify', 'fastify-plugin', 'js-yaml'],
    plugins: [skipOpenApiValidation],
  }),
  // It has 250 files. Each test process would take 150 ms to load them.
  build({
    ...options,
    entryPoints: { index: '@sinclair/typebox', value: '@sinclair/typebox/value' },
    bundle: true,
    splitting: true,
    outdir: join(outdir, 'node_modules/@sinclair/typebox'),
  }),
  cp('package.json', join(outdir, 'package.json')),
  ...data.map((file) => cp(join('src', file), join(outdir, 'src', file))),
])
await writeFile(join(outdir, 'src/plugins/runtime/sandbox-library.js'), bundleLibrary())
const PACKAGES = {
  'fastify-openapi-glue': './index.js',
  '@sinclair/typebox': { '.': './index.js', './value': './value.js' },
}
for (const [name, exports] of Object.entries(PACKAGES))
  await writeFile(join(outdir, 'node_modules', name, 'package.json'), JSON.stringify({ type: 'module', exports }))
