/** Third-party clients, installed once into a separate folder. */
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { ended } from './process.ts'

const CLIENTS = resolve('.tap/clients')

/** Installs 550 packages that only two test files need. Install scripts are off: one would download a program. */
export async function installClients(): Promise<void> {
  const files = ['package.json', 'package-lock.json'].map(
    (name) => [join(CLIENTS, name), readFileSync(`test/clients/package/${name}`, 'utf8')] as const,
  )
  // npm writes this file last.
  const isComplete = existsSync(join(CLIENTS, 'node_modules/.package-lock.json'))
  if (isComplete && files.every(([path, text]) => existsSync(path) && readFileSync(path, 'utf8') === text)) return
  mkdirSync(CLIENTS, { recursive: true })
  for (const [path, text] of files) writeFileSync(path, text)
  console.error('Installing the third-party clients (once)')
  await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: CLIENTS })
}

/** The path of an installed file. */
export const clientFile = (...path: string[]): string => join(CLIENTS, ...path)

/** Imports an installed package. */
export const clientPackage = (name: string): Promise<any> =>
  import(pathToFileURL(createRequire(clientFile('package.json')).resolve(name)).href)

/** Runs an installed program and returns its output. Throws if it fails. */
export async function run(words: string[], environment: Record<string, string> = {}): Promise<string> {
  const env = { PATH: process.env.PATH!, HOME: clientFile('home'), ...environment }
  const { code, stdout, stderr } = await ended(spawn(process.execPath, words, { cwd: CLIENTS, env }))
  if (code !== 0) throw new Error(`${words[0]} exited with ${code}: ${stdout}${stderr}`)
  return stdout
}
