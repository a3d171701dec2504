import { createRequire } from 'node:module'
import { relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'

const require = createRequire(import.meta.url)
const validator = '@seriousme/openapi-schema-validator'

/**
 * Removes the validation of the contract against the OpenAPI schema from fastify-openapi-glue, which takes most of its
 * start. The contract is validated when it is generated, and by a test.
 */
export const skipOpenApiValidation: Plugin = {
  name: 'skip-openapi-validation',
  setup(build) {
    const glue = require.resolve('fastify-openapi-glue')
    const resolver = createRequire(pathToFileURL(glue))
      .resolve(validator)
      .replace(/index\.js$/, 'resolve.js')
    build.onResolve({ filter: new RegExp(`^${validator}$`) }, () => ({ path: validator, namespace: 'unvalidated' }))
    build.onLoad({ filter: /.*/, namespace: 'unvalidated' }, () => ({
      resolveDir: process.cwd(),
      contents: `
        import { replaceRefs } from ${JSON.stringify(`./${relative('.', resolver)}`)}
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
