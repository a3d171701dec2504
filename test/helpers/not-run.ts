import { relative } from 'node:path'
import type { Test } from 'tap'

/** The test's file as it stands in test/: suites run from the folder that `scripts/compile.ts` fills. */
export const testFile = (): string =>
  relative(process.cwd(), process.argv[1]!).replace('.tap/compiled/', '').replace(/\.js$/, '.ts')

/** Says on the terminal that a test could not run here, and why. */
export const notRun = (t: Test, why: string): void => console.error(`not run: ${testFile()}, "${t.name}": ${why}`)
