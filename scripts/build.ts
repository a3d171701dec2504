/** From src/ to dist/: one program in a few files, without what only building and testing need. */
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import reference from '@scalar/fastify-api-reference'
import { build, type Plugin } from 'esbuild'
import { fastify } from 'fastify'

const require = createRequire(import.meta.url)
const validator = '@seriousme/openapi-schema-validator'

/**
 * Glue checks the contract against the schema of OpenAPI at every start: most of its time, for a file that was
 * checked when it was generated. The built program leaves that check out; the tests run with it.
 */
const checkedWhenGenerated: Plugin = {
  name: 'checked-when-generated',
  setup(build) {
    const glue = require.resolve('fastify-openapi-glue')
    const resolver = createRequire(pathToFileURL(glue))
      .resolve(validator)
      .replace(/index\.js$/, 'resolve.js')
    build.onResolve({ filter: new RegExp(`^${validator}$`) }, () => ({ path: validator, namespace: 'checked' }))
    build.onLoad({ filter: /.*/, namespace: 'checked' }, () => ({
      resolveDir: process.cwd(),
      contents: `
        import { replaceRefs } from ${JSON.stringify(resolver)}
        export class Validator {
          async validate(specification) {
            this.specification = specification
            this.version = specification.openapi.slice(0, 3)
            return { valid: true }
          }
          resolveRefs() { return replaceRefs(this.specification) }
        }`,
    }))
  },
}

await rm('dist', { recursive: true, force: true })
await mkdir('dist')
await build({
  entryPoints: { 'workspace-admin': 'src/cli/workspace-admin.ts', main: 'src/main.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // Native or optional parts stay packages; everything else becomes one file a start reads in one go.
  external: ['better-sqlite3', 'pg-native'],
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
  plugins: [checkedWhenGenerated],
  logLevel: 'warning',
})
await copyFile('src/contract/openapi.json', 'dist/openapi.json')

/** The script of the reference page, as the package itself would serve it. */
const app = fastify()
await app.register(reference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
const script = await app.inject('/docs/js/scalar.js')
if (script.statusCode !== 200) throw new Error(`the reference page has no script: ${script.statusCode}`)
await writeFile('dist/reference.js', script.rawPayload)
await app.close()
