/** The program's files as somebody may find them: in another place, damaged, without what only makes it start sooner. */

import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { freshFolder } from '../helpers/exports.ts'
import { type Ended, ended, programFile } from '../helpers/process.ts'

const built = programFile('')

/** The program in a folder that it was not built in. */
function moved(t: Test): (name: string) => string {
  const folder = freshFolder(t)
  cpSync(built, join(folder, 'elsewhere'), { recursive: true })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  return (name) => join(folder, 'elsewhere', name)
}

const run = (code: string): Promise<Ended> =>
  ended(spawn(process.execPath, ['--input-type=module', '-e', code], { env: { PATH: process.env.PATH! } }))

const started = (file: (name: string) => string): Promise<Ended> =>
  run(`import { startServer } from '${file('main.js')}'
import { script } from '${file('precompiled.js')}'
const { url, stop } = await startServer({ ephemeral: true })
console.log((await fetch(url + '/health/ready')).status, script.cachedDataRejected)
await stop()`)

t.test('in another folder it starts with the code that the build kept', async (t) => {
  t.match(await started(moved(t)), { code: 0, stdout: '200 false\n' })
})

t.test('an error that nobody catches is short, and names no folder of who built it', async (t) => {
  const file = moved(t)
  const { stderr } = await run(`import { readConfig } from '${file('main.js')}'; readConfig({ PORT: 'none' })`)
  // A failed match would compare them letter by letter, for minutes.
  if (!t.ok(stderr.length < 5000, `${stderr.length} characters`)) return
  t.match(stderr, 'Error: PORT must be an integer between 0 and 65535.')
  t.match(stderr, / \(workspace-admin\/dist\/server\.cjs:\d+:\d+\)\n/)
  t.notMatch(stderr, built)
})

const DAMAGES: Record<string, (cache: string) => void> = {
  'is missing': (cache) => rmSync(cache),
  'is empty': (cache) => writeFileSync(cache, ''),
  'is cut off': (cache) => writeFileSync(cache, readFileSync(cache).subarray(0, 500_000)),
  'has wrong bytes': (cache) => writeFileSync(cache, readFileSync(cache).fill(0xaa, 1000, 1200)),
  'cannot be read': (cache) => {
    rmSync(cache)
    mkdirSync(cache)
  },
}
for (const [damage, make] of Object.entries(DAMAGES))
  t.test(`it starts where the kept code ${damage}`, async (t) => {
    const file = moved(t)
    make(file('server.cache'))
    t.match(await started(file), { code: 0, stdout: '200 undefined\n' })
  })

t.test('what runs is the script, not the code kept of another that is as long', async (t) => {
  const file = moved(t)
  const source = readFileSync(file('server.cjs'), 'latin1')
  writeFileSync(file('server.cjs'), source.replaceAll('Server listening at', 'Server LISTENING at'), 'latin1')
  t.match(await started(file), { code: 0, stderr: 'Server LISTENING at http://' })
})

t.test('an older Node is refused in one line', async (t) => {
  const pretend = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })"
  const node = [process.execPath, '--import', `data:text/javascript,${encodeURIComponent(pretend)}`] as const
  for (const words of [
    [programFile('workspace-admin.js'), '--version'],
    ['-e', `import('${programFile('main.js')}')`],
  ])
    t.strictSame(await ended(spawn(node[0], [...node.slice(1), ...words], { env: { PATH: process.env.PATH! } })), {
      code: 1,
      stdout: '',
      stderr:
        'workspace-admin needs Node 22 or later; this is Node 20.20.2. Install a newer Node, or run it through npm in a clone, which brings its own.\n',
    })
})
