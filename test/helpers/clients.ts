/** Clients that others made: where they are installed, and how one of their programs is run. */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ended } from './process.ts'

const installed = process.env.TEST_CLIENTS
if (!installed)
  throw new Error('TEST_CLIENTS is not set. Run the tests with `npm test -- <files>`, which installs the clients.')

/** A file in the folder where they are. */
export const clientFile = (...path: string[]): string => join(installed, ...path)

/** A package of theirs, as a program of theirs would get it. */
export const clientPackage = (name: string): Promise<any> =>
  import(pathToFileURL(createRequire(clientFile('package.json')).resolve(name)).href)

/** Runs a program to its end in that folder; throws, with what it said, where it fails. */
export async function run(words: string[], environment: Record<string, string> = {}): Promise<string> {
  const env = { PATH: process.env.PATH!, HOME: clientFile('home'), ...environment }
  const { code, stdout, stderr } = await ended(spawn(process.execPath, words, { cwd: installed, env }))
  if (code !== 0) throw new Error(`${words[0]} ended with ${code}: ${stdout}${stderr}`)
  return stdout
}
