/**
 * Runs test files, one after the other, that the parent process names. Each file is a subtest: its `import t from 'tap'` gets
 * that subtest.
 */
import { once } from 'node:events'
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

export interface FileResult {
  passed: number
  failed: number
  seconds: number
}

/** A file, and the seconds that it may take. Empty when there is no other file. */
export type NextFile = { file: string; seconds: number } | { file?: never }

/** Sends the result of the file before, and waits for the next file. */
async function nextFile(result: FileResult | null): Promise<NextFile> {
  const message = once(process, 'message')
  process.send?.(result)
  return (await message)[0]
}

// The channel alone does not keep the process running.
const waiting = setInterval(() => undefined, 60_000)
const { default: root } = await import('tap')
// Between two files the root has no test and would end.
await root.test('files', async (t) => {
  let result: FileResult | null = null
  for (let next = await nextFile(result); next.file; next = await nextFile(result)) {
    const path = resolve(next.file)
    const start = performance.now()
    // Only the root counts the assertions of nested tests.
    const before = { ...root.counts }
    await t.test(sourceOf(path), { timeout: next.seconds * 1000 }, async (t) => {
      // The helpers of a test ask for the file that runs.
      process.argv[1] = path
      const { href } = pathToFileURL(path)
      subtests.set(href, t)
      await import(href)
    })
    result = {
      passed: root.counts.pass - before.pass,
      failed: root.counts.fail - before.fail,
      seconds: (performance.now() - start) / 1000,
    }
  }
})
clearInterval(waiting)
process.disconnect()
