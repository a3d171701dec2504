/** The pages of the documentation: their code blocks and links, and a shell that runs their examples. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import type { Test } from 'tap'
import { freshFolder } from '../folders.ts'
import { writeHostedCommand } from '../programs/hosted-command.ts'
import { type Ended, environmentWith, IS_HOSTED, programFile, startProcess } from '../programs/process.ts'

/** Every page, as a path from the root of the repository. */
export const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'client/README.md',
  'openapi/README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

export interface Block {
  page: string
  /** The line of the opening fence. */
  line: number
  language: string
  /** The words after the language: `run`, `background`, `stopped`. */
  marks: readonly string[]
  code: string
}

/** The fenced code blocks of a page. */
export function codeBlocks(page: string): Block[] {
  const text = readFileSync(page, 'utf8')
  return [...text.matchAll(/^( *)```([^\n`]*)\n(.*?)^\1```$/gms)].map(
    ({ index, 1: indent = '', 2: info = '', 3: code = '' }) => {
      const [language = '', ...marks] = info.trim().split(/\s+/)
      const line = text.slice(0, index).split('\n').length
      return { page, line, language, marks, code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), '') }
    },
  )
}

/** A page without its code blocks. */
export const proseOf = (page: string): string => readFileSync(page, 'utf8').replace(/^( *)```.*?^\1```$/gms, '')

const SAMPLE = 'docs/sample-events.ndjson'

/** A folder with the sample events and with the command on a path, as a reader has them after the installation. */
export function createReaderFolder(t: Test): { folder: string; PATH: string } {
  const folder = freshFolder(t)
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  mkdirSync(join(folder, 'docs'))
  cpSync(SAMPLE, join(folder, SAMPLE))
  symlinkSync(process.execPath, join(bin, 'node'))
  symlinkSync(programFile('workspace-admin.js'), join(bin, 'workspace-admin'))
  return { folder, PATH: `${bin}:${process.env.PATH}` }
}

/** Ends a shell that waits for something that never happens. */
const DEADLINE_MS = 240_000

/** Runs blocks in one POSIX shell that stops at the first failing command. */
export async function runBlocks(
  blocks: readonly Block[],
  folder: string,
  environment: Record<string, string>,
): Promise<Ended> {
  const script = blocks.map(({ page, line, code }) => `echo '# ${page}:${line}'\n${code}`).join('\n')
  writeFileSync(join(folder, 'examples.sh'), script)
  const child = spawn('sh', ['-e', 'examples.sh'], {
    cwd: folder,
    env: environmentWith(environment),
    timeout: DEADLINE_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [code]] = await Promise.all([
    readText(child.stdout),
    readText(child.stderr),
    once(child, 'close'),
  ])
  return { code, stdout, stderr }
}

/** Fails the test with the output of a shell that failed. */
export function assertSuccess(t: Test, { code, stdout, stderr }: Ended, label: string): void {
  if (code !== 0) t.comment(`${stdout}\n${stderr}`)
  t.equal(code, 0, label)
}

export interface PageServer {
  folder: string
  environment: Record<string, string>
  url: string
  stop: () => Promise<void>
}

/** A server as docs/README.md describes it: the sample events, a key, and private addresses allowed. */
export async function startPageServer(t: Test, DATABASE_URL?: string): Promise<PageServer> {
  const { folder, PATH } = createReaderFolder(t)
  if (IS_HOSTED) await writeHostedCommand(t, join(folder, 'bin/workspace-admin'))
  const local = {
    PATH,
    HOME: folder,
    DATABASE_URL: DATABASE_URL ?? `sqlite:${folder}/data`,
    OUTBOUND_ALLOW: '127.0.0.1',
    EXPORT_FOLDER: join(folder, 'data/exports'),
    PLUGIN_FOLDER: join(folder, 'plugins'),
  }
  const { url, api_key, kill } = await startProcess(t, local)
  const environment = { ...local, WORKSPACE_URL: url, WORKSPACE_KEY: api_key ?? '' }
  const prepare = { page: 'setup', line: 0, language: 'sh', marks: [], code: `workspace-admin import ${SAMPLE}\n` }
  assertSuccess(t, await runBlocks([prepare], folder, environment), 'the sample events are imported')
  return { folder, environment, url, stop: kill }
}
