/**
 * Starts the built server once with temporary data. Node compiles its code and stores the result in the cache of the user,
 * so that the first start is as fast as the others.
 */
import { spawn } from 'node:child_process'

// A setting in the environment must not fail the installation.
const { PATH, HOME, XDG_CACHE_HOME, NODE_COMPILE_CACHE } = process.env
const server = spawn(process.execPath, ['dist/workspace-admin.js', 'serve', '--ephemeral', '--json', '--port', '0'], {
  env: { PATH, HOME, XDG_CACHE_HOME, NODE_COMPILE_CACHE },
  stdio: ['ignore', 'pipe', 'ignore'],
})
server.stdout.once('data', () => server.kill('SIGTERM'))
