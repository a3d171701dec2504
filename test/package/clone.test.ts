/** The two commands of the README in a new clone, in a folder with a space. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import packageJson from '../../package.json' with { type: 'json' }
import { freshFolder } from '../helpers/folders.ts'
import { killGroupAfter } from '../helpers/programs/process.ts'

t.setTimeout(20 * 60_000)

/** The PATH of a reader, without the commands of this clone. */
const PATH = (process.env.PATH ?? '')
  .split(':')
  .filter((folder) => !folder.endsWith('/node_modules/.bin'))
  .join(':')

t.test('a clone installs, stays unchanged, starts, and runs the command in any folder', async (t) => {
  const folder = join(freshFolder(t), 'a folder')
  execFileSync('git', ['clone', '--quiet', '.', folder])
  const env = { PATH, HOME: process.env.HOME, DATABASE_URL: `sqlite:${freshFolder(t)}` }
  const run = (command: string, args: string[], cwd = folder): string =>
    execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  run('npm', ['install', '--no-audit', '--no-fund'])
  t.equal(run('git', ['status', '--porcelain']), '', 'the installation changes no file')
  for (const below of ['.', 'docs', 'client', 'src/cli'])
    t.equal(run('npx', ['workspace-admin', '--version'], join(folder, below)), `${packageJson.version}\n`, below)

  const server = spawn('npm', ['start', '--', '--port', '0', '--json'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  killGroupAfter(t, server)
  const exited = once(server, 'exit')
  for await (const line of createInterface(server.stdout)) {
    if (!line.startsWith('{')) continue
    const { url, api_key } = JSON.parse(line)
    const headers = { authorization: `Bearer ${api_key}` }
    t.equal((await fetch(`${url}/api/organizations/@current/`, { headers })).status, 200)
    break
  }
  server.kill('SIGTERM')
  t.same(await exited, [0, null])
  t.equal(run('git', ['status', '--porcelain']), '', 'a start changes no file')
})
