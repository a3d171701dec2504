/** Servers that answer the same questions from the same rows, each in a process of its own. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { SQLITE_FILE } from '../src/sql/sqlite.ts'
import { answer, endWithThis, folder, type Workspace } from './workspace.ts'

const HERE = dirname(fileURLToPath(import.meta.url))
const PATIENCE_MS = 60_000

export interface Peer {
  url: string
  api_key: string
}

/** What the peers are made of is not part of the product's own install. */
export function installPeers(): void {
  if (existsSync(join(HERE, 'node_modules/.package-lock.json'))) return
  console.log('installing the peers (once)')
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: HERE, stdio: 'inherit' })
}

/** Debian's python, since that is what Debian's Django is for. */
const PYTHON = '/usr/bin/python3'
export const hasDjango = (): boolean =>
  spawnSync(PYTHON, ['-c', 'import rest_framework, gunicorn'], { stdio: 'ignore' }).status === 0

export const databaseOf = ({ file }: Workspace): string => join(dirname(file), SQLITE_FILE)

/** Started once for all rounds of a trial. */
export async function startPeer(words: string[], { api_key }: Workspace): Promise<Peer> {
  const child = spawn(process.execPath, words.map(placed), { stdio: ['ignore', 'pipe', 'inherit'] })
  endWithThis(child)
  const [line] = await once(createInterface(child.stdout), 'line')
  return { url: JSON.parse(line as string).url, api_key }
}

const placed = (word: string): string => (word.endsWith('.mjs') ? join(HERE, 'peers', word) : word)

/** `node:http` with the bytes that this workspace answers to these paths. */
export async function bare(workspace: Workspace, paths: string[]): Promise<Peer> {
  const place = folder()
  const words: string[] = []
  for (const [i, path] of paths.entries()) {
    const file = join(place, String(i))
    writeFileSync(file, await answer(workspace, path))
    words.push(path, file)
  }
  return startPeer(['bare.mjs', ...words], workspace)
}

export const plainFastify = (workspace: Workspace): Promise<Peer> =>
  startPeer(['fastify.mjs', databaseOf(workspace)], workspace)

export const writer = (workspace: Workspace): Promise<Peer> =>
  startPeer(['writer.mjs', databaseOf(workspace)], workspace)

export const express = (workspace: Workspace): Promise<Peer> =>
  startPeer(['express.mjs', databaseOf(workspace), join(HERE, '../dist/openapi.json')], workspace)

/** One worker, as everybody else has one process. */
export async function django(workspace: Workspace): Promise<Peer> {
  const port = await freePort()
  const words = ['-m', 'gunicorn', '-w', '1', '-k', 'gthread', '--threads', '1', '--keep-alive', '75']
  const child = spawn(PYTHON, [...words, '-b', `127.0.0.1:${port}`, 'drf:application'], {
    cwd: join(HERE, 'peers'),
    env: { ...process.env, BENCH_DATABASE: databaseOf(workspace), PYTHONDONTWRITEBYTECODE: '1' },
    stdio: 'ignore',
  })
  endWithThis(child)
  return answering({ url: `http://127.0.0.1:${port}`, api_key: workspace.api_key })
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** Resolves when it answers anything at all. */
export async function answering<Place extends Peer>(peer: Place): Promise<Place> {
  for (const start = performance.now(); performance.now() - start < PATIENCE_MS; await sleep(5))
    if (
      (await fetch(`${peer.url}/`).then(
        (response) => response.text(),
        () => null,
      )) !== null
    )
      return peer
  throw new Error(`nothing answers at ${peer.url}`)
}

/** The command of Prism serving our contract as a mock. */
export const prism = (port: number): string[] => [
  join(HERE, 'node_modules/@stoplight/prism-cli/dist/index.js'),
  'mock',
  join(HERE, '../dist/openapi.json'),
  '--host',
  '127.0.0.1',
  '--port',
  String(port),
]
