/** An npm registry on loopback: the packed packages of this repository, and everything else from the real registry. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Json } from '../json.ts'

export interface Packed {
  name: string
  version: string
  /** The tarball. */
  path: string
  integrity: string
  size: number
  unpackedSize: number
  /** The paths in the tarball. */
  files: string[]
}

/** Packs the package in `folder` as a release does, with its build. */
export function pack(folder: string, destination: string): Packed {
  const output = execFileSync('npm', ['pack', '--json', '--pack-destination', destination], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  // Scripts may print before the result.
  const found = JSON.parse(output.slice(output.search(/^[[{]/m)))
  // An array up to npm 11, an object by name from npm 12.
  const [packed] = Array.isArray(found) ? found : Object.values<Json>(found)
  return {
    ...packed,
    path: join(destination, packed.filename),
    files: packed.files.map(({ path }: { path: string }) => path),
  }
}

/** Returns the URL of the registry. */
export async function openRegistry(t: Test, packages: readonly Packed[]): Promise<string> {
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim().replace(/\/$/, '')
  let url = ''
  const packument = ({ name, version, integrity, path }: Packed): string => {
    const manifest = JSON.parse(execFileSync('tar', ['-xzOf', path, 'package/package.json'], { encoding: 'utf8' }))
    const dist = { tarball: `${url}/${name}/-/${name}-${version}.tgz`, integrity }
    return JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } })
  }
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/'
    const own = packages.find(({ name }) => path === `/${name}` || path.startsWith(`/${name}/-/`))
    if (own) return void response.end(path.endsWith('.tgz') ? readFileSync(own.path) : packument(own))
    try {
      const { accept = '*/*' } = request.headers
      const answer = await fetch(upstream + path, { headers: { accept } })
      const type = answer.headers.get('content-type') ?? 'application/octet-stream'
      response.writeHead(answer.status, { 'content-type': type })
      if (type.includes('json')) response.end((await answer.text()).replaceAll(`${upstream}/`, `${url}/`))
      else response.end(Buffer.from(await answer.arrayBuffer()))
    } catch {
      response.writeHead(502).end()
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return url
}
