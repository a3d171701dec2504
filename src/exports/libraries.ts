/** Large libraries that the package does not install. Operators install those of the destinations they use. */
import { createRequire } from 'node:module'
import packageJson from '../../package.json' with { type: 'json' }
import { errorCode, invalid } from '../errors.ts'

type Library = keyof typeof packageJson.peerDependencies

const resolver = createRequire(import.meta.url)

/** Throws `destination_library_missing` with the command that installs the libraries of `feature`. Loads nothing. */
export function requireLibraries(feature: string, attr: string, libraries: readonly Library[]): void {
  if (libraries.every(isInstalled)) return
  const versions = libraries.map((name) => `${name}@${packageJson.peerDependencies[name]}`)
  throw invalid(
    attr,
    `${feature} needs a library that is not installed. Run \`npm install ${versions.join(' ')}\` where workspace-admin is installed, on every node, and restart the server.`,
    'destination_library_missing',
  )
}

function isInstalled(name: Library): boolean {
  try {
    resolver.resolve(name)
    return true
  } catch (error) {
    // Other errors, such as a package without a CommonJS entry, come from an installed package.
    return errorCode(error) !== 'MODULE_NOT_FOUND'
  }
}
