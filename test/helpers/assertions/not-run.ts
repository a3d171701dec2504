import { relative } from 'node:path'
import type { Test } from 'tap'
import { itemAt } from './items.ts'

/** The path of the test file below test/, even when its compiled form runs. */
export const testFile = (): string =>
  relative(process.cwd(), itemAt(process.argv, 1)).replace('.tap/compiled/', '').replace(/\.js$/, '.ts')

/** Prints that a test could not run on this machine, and the reason. */
export const notRun = (t: Test, reason: string): void => console.error(`not run: ${testFile()}, "${t.name}": ${reason}`)
