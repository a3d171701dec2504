/** Other versions of Node, installed once from the npm registry. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The versions that the package supports. */
export const NODE_VERSIONS = [22, 24, 26]

/** The binary of the running version, or of the latest release of another one. */
export function nodeBinary(major: number): string {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath
  const { platform, arch } = process
  // The package `node` installs this one in its install script, which fails when the two releases differ.
  const name = `${platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'}-${platform}-${arch}`
  const folder = resolve('.tap', `node-${major}`)
  const binary = join(folder, 'node_modules', name, 'bin/node')
  if (!existsSync(binary)) {
    mkdirSync(folder, { recursive: true })
    console.error(`Installing Node ${major} (once)`)
    execFileSync('npm', ['install', '--prefix', folder, '--no-save', '--ignore-scripts', `${name}@${major}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }
  return binary
}
