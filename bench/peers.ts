/** Peer servers: each runs in its own process and serves the same requests from the same database. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { SQLITE_FILE } from '../src/sql/sqlite.ts'
import { fetchBody, killOnExit, tempFolder, type Workspace } from './workspace.ts'

const BENCH = dirname(fileURLToPath(import.meta.url))
const CONTRACT = join(BENCH, '../dist/openapi.json')
const START_TIMEOUT_MS = 60_000

export interface Peer {
  url: string
  api_key: string
}

/** The peers' dependencies are not part of the server's install. */
export function installPeers(): void {
  if (existsSync(join(BENCH, 'node_modules/.package-lock.json'))) return
  console.log('Installing the dependencies of the peers')
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: BENCH, stdio: 'inherit' })
}

/** Debian packages Django for its own Python. */
const PYTHON = '/usr/bin/python3'
export const hasDjango = (): boolean =>
  spawnSync(PYTHON, ['-c', 'import rest_framework, gunicorn'], { stdio: 'ignore' }).status === 0

export const databaseOf = ({ file }: Workspace): string => join(dirname(file), SQLITE_FILE)

export async function startPeer(script: string, args: string[], { api_key }: Workspace): Promise<Peer> {
  const child = spawn(process.execPath, [join(BENCH, 'peers', script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  killOnExit(child)
  const [line] = await once(createInterface(child.stdout), 'line')
  return { url: JSON.parse(String(line)).url, api_key }
}

/** Pairs of a path and a file with the recorded response of this workspace. */
async function recordResponses(workspace: Workspace, paths: string[]): Promise<string[]> {
  const folder = tempFolder()
  const pairs: string[] = []
  for (const [i, path] of paths.entries()) {
    const file = join(folder, String(i))
    writeFileSync(file, await fetchBody(workspace, path))
    pairs.push(path, file)
  }
  return pairs
}

/** `node:http` with the recorded responses of this workspace for these paths. */
export const bare = async (workspace: Workspace, paths: string[]): Promise<Peer> =>
  startPeer('bare.mjs', await recordResponses(workspace, paths), workspace)

/** Fastify with the same recorded responses. */
export const constantFastify = async (workspace: Workspace, paths: string[]): Promise<Peer> =>
  startPeer('constant-fastify.mjs', await recordResponses(workspace, paths), workspace)

export const plainFastify = (workspace: Workspace): Promise<Peer> =>
  startPeer('fastify.mjs', [databaseOf(workspace)], workspace)

export const writer = (workspace: Workspace): Promise<Peer> =>
  startPeer('writer.mjs', [databaseOf(workspace)], workspace)

export const express = (workspace: Workspace): Promise<Peer> =>
  startPeer('express.mjs', [databaseOf(workspace), CONTRACT], workspace)

/** One worker, since the other servers have one process. */
export async function django(workspace: Workspace): Promise<Peer> {
  const port = await freePort()
  const gunicorn = ['-m', 'gunicorn', '-w', '1', '-k', 'gthread', '--threads', '1', '--keep-alive', '75']
  const child = spawn(PYTHON, [...gunicorn, '-b', `127.0.0.1:${port}`, 'drf:application'], {
    cwd: join(BENCH, 'peers'),
    env: { ...process.env, BENCH_DATABASE: databaseOf(workspace), PYTHONDONTWRITEBYTECODE: '1' },
    stdio: 'ignore',
  })
  killOnExit(child)
  return waitUntilReady({ url: `http://127.0.0.1:${port}`, api_key: workspace.api_key })
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** Resolves when the server sends any response. */
export async function waitUntilReady(peer: Peer): Promise<Peer> {
  for (const start = performance.now(); performance.now() - start < START_TIMEOUT_MS; await sleep(5))
    if (
      (await fetch(`${peer.url}/`).then(
        (response) => response.text(),
        () => null,
      )) !== null
    )
      return peer
  throw new Error(`no response from ${peer.url} within ${START_TIMEOUT_MS / 1000} s`)
}

/** Arguments for Prism, which serves the contract as a mock. */
export const prism = (port: number): string[] => [
  join(BENCH, 'node_modules/@stoplight/prism-cli/dist/index.js'),
  'mock',
  CONTRACT,
  '--host',
  '127.0.0.1',
  '--port',
  String(port),
]
