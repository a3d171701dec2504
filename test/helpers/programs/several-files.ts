/**
 * Runs the test files named as arguments, one after the other. Loading and compiling the program takes a process two seconds,
 * which is longer than many files take. Each file is a subtest: its `import t from 'tap'` gets that subtest.
 */
import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Test } from 'tap'
import { sourceOf } from '../assertions/not-run.ts'

const SUBTEST = 'subtest-of:'
const subtests = new Map<string, Test>()
Object.assign(globalThis, { subtestOf: (url: string) => subtests.get(url) })

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'tap' && subtests.has(context.parentURL ?? '')
      ? { url: `${SUBTEST}${context.parentURL}`, shortCircuit: true }
      : next(specifier, context),
  load: (url, context, next) =>
    url.startsWith(SUBTEST)
      ? {
          format: 'module',
          source: `export default subtestOf(${JSON.stringify(url.slice(SUBTEST.length))})`,
          shortCircuit: true,
        }
      : next(url, context),
})

// Removed before tap is loaded: it names the folders of `t.testdir` after the arguments, and such a name would be too long.
const files = process.argv.splice(2).map((file) => resolve(file))
const { default: t } = await import('tap')
for (const path of files)
  t.test(sourceOf(path), async (t) => {
    // The helpers of a test ask for the file that runs.
    process.argv[1] = path
    const { href } = pathToFileURL(path)
    subtests.set(href, t)
    await import(href)
  })
