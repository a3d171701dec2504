import { relative } from 'node:path'
import type { Test } from 'tap'
import { itemAt } from './items.ts'

/** The path of the source of a test file, whose compiled form may run. */
export const sourceOf = (file: string): string =>
  relative(process.cwd(), file).replace('.tap/compiled/', '').replace(/\.js$/, '.ts')

/** The path of the test file that runs. */
export const testFile = (): string => sourceOf(itemAt(process.argv, 1))

/** Prints that a test could not run on this machine, and the reason. */
export const notRun = (t: Test, reason: string): void => console.error(`not run: ${testFile()}, "${t.name}": ${reason}`)
