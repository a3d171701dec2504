/** Pastes the session of the README into two shells. Only the port and the work of `npm install` differ. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import t from 'tap'
import packageJson from '../../package.json' with { type: 'json' }
import { assertSuccess, codeBlocks, createReaderFolder, runBlocks } from '../helpers/assertions/pages.ts'
import { builtProgram, ended, environmentWith, killGroupAfter } from '../helpers/programs/process.ts'

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  await once(probe, 'close')
  return port
}

const [NPM = '', NPX = ''] = execFileSync('sh', ['-c', 'command -v npm; command -v npx'], { encoding: 'utf8' })
  .trim()
  .split('\n')

/** Creates the result of `npm install`: Node and the command in node_modules/.bin. The program is built, so tsx does nothing. */
const INSTALL = `#!/bin/sh
test "$*" = install || exec '${NPM}' "$@"
mkdir -p node_modules/.bin
ln -s '${process.execPath}' node_modules/.bin/node
ln -s '${builtProgram()}' dist
ln -s ../../dist/workspace-admin.js node_modules/.bin/workspace-admin
echo '#!/bin/sh' > node_modules/.bin/tsx
chmod +x node_modules/.bin/tsx
`

t.test('the session of the README works when it is pasted', async (t) => {
  const { folder } = createReaderFolder(t)
  const bin = join(folder, 'bin')
  // The command must come from the installation.
  rmSync(join(bin, 'workspace-admin'))
  writeFileSync(join(bin, 'npm'), INSTALL, { mode: 0o755 })
  symlinkSync(NPX, join(bin, 'npx'))
  const { start } = packageJson.scripts
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: packageJson.name, scripts: { start } }))
  const port = String(await freePort())
  const url = `http://127.0.0.1:${port}`
  const environment = {
    PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
    HOME: folder,
    PORT: port,
    WORKSPACE_URL: url,
    LOG_LEVEL: 'silent',
    npm_config_update_notifier: 'false',
  }
  const blocks = codeBlocks('README.md')
    .filter(({ language, marks }) => language === 'sh' && marks.includes('run'))
    .map((block) => ({ ...block, code: block.code.replaceAll('8000', port) }))
  const [first, ...rest] = blocks
  t.ok(first?.marks.includes('background'), 'the first block is for the first terminal')

  const terminal = spawn('sh', ['-c', first?.code ?? ''], {
    cwd: folder,
    env: environmentWith(environment),
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  killGroupAfter(t, terminal)
  let printed = ''
  await new Promise<void>((resolve, reject) => {
    terminal.once('exit', (code) => reject(new Error(`The server exited with ${code}.`)))
    terminal.stdout.on('data', (bytes) => {
      printed += bytes
      if (printed.includes('workspace-admin --help')) resolve()
    })
  })

  const session = await runBlocks(rest, folder, environment)
  assertSuccess(t, session, 'every command succeeds')
  t.match(session.stdout, '{"status":1}', 'the event is stored')
  t.match(session.stdout, /^47 events stored/m, 'the sample events are imported')
  t.match(session.stdout, /^\$pageview +22$/m, 'events are counted by name')
  t.match(session.stdout, /\bCompleted\b.*\b47\b/, 'the week is exported')
  const [file = ''] = readdirSync(join(folder, 'data/exports'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.jsonl'),
  )
  t.equal(
    readFileSync(join(folder, 'data/exports', file), 'utf8')
      .trim()
      .split('\n').length,
    47,
  )

  const [link = ''] = /http:\S+\/login#link=\S+/.exec(session.stdout) ?? []
  const page = await fetch(link)
  t.equal(page.status, 200)
  t.match(await page.text(), '<div id="', 'the link opens the console')
  t.match(printed, `${url}/login#link=`, 'the first start prints a link too')
})

const [javascript] = codeBlocks('README.md').filter(({ language, marks }) => language === 'js' && marks.includes('run'))

t.test('the JavaScript of the README runs', async (t) => {
  const { folder } = createReaderFolder(t)
  // The package as a dependency has it: package.json and dist/.
  const installed = join(folder, 'node_modules/workspace-admin')
  mkdirSync(installed, { recursive: true })
  symlinkSync(resolve('package.json'), join(installed, 'package.json'))
  symlinkSync(builtProgram(), join(installed, 'dist'))
  writeFileSync(join(folder, 'example.mjs'), javascript?.code ?? '')
  const run = spawn(process.execPath, ['example.mjs'], { cwd: folder, env: environmentWith({}) })
  t.strictSame(await ended(run), { code: 0, stdout: '200\n', stderr: '' })
})
