/** `startServer` in the process of a test: its options, its log and its end. */
import { existsSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import t from 'tap'
import { readConfig } from '../../src/config.ts'
import { type Running, type StartOptions, startServer } from '../../src/main.ts'
import { ENGINES } from '../helpers/app.ts'
import { emptyPlace } from '../helpers/programs/postgres.ts'

const statusOf = async ({ url }: Running, path = '/health/ready'): Promise<number> => (await fetch(url + path)).status

/** The folder of `sqlite:<folder>/…`. */
const isDeleted = ({ location }: Running): boolean => !existsSync(location)

t.test('an ephemeral server has a key and deletes its data at the end of its block', async (t) => {
  let ended: Running
  {
    await using server = await startServer({ ephemeral: true })
    ended = server
    const headers = { authorization: `Bearer ${server.first.api_key}` }
    const me = await fetch(`${server.url}/api/users/@me/`, { headers })
    t.equal(me.status, 200)
    t.equal(isDeleted(server), false)
  }
  t.equal(isDeleted(ended), true)
  await t.rejects(statusOf(ended))
  await ended.stop()
})

t.test('many servers in one process leave no listeners', async (t) => {
  const count = (): number => process.listenerCount('exit')
  const before = count()
  for (let i = 0; i < 3; i++) await (await startServer({ ephemeral: true })).stop()
  t.equal(count(), before)
})

for (const engine of ENGINES)
  t.test(`a second start on the same database has no first records (${engine})`, async (t) => {
    const config = readConfig({ PORT: '0', DATABASE_URL: await emptyPlace(t, engine) })
    for (const isFirst of [true, false]) {
      await using server = await startServer({ config })
      t.equal(await statusOf(server), 200)
      t.equal(server.first !== null, isFirst)
      t.not(server.oldest.project_id, null)
    }
  })

/** The messages that a server writes to a stream from its start to its end. */
async function logged(options: StartOptions = {}): Promise<{ level: number; msg: string }[]> {
  const log = new PassThrough()
  const server = await startServer({ ephemeral: true, log, ...options })
  await statusOf(server, '/api/users/@me/')
  await server.stop()
  log.end()
  const lines = (await text(log)).split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line))
}

t.test('the log goes to a stream, at the level of the config', async (t) => {
  const messages = (await logged()).map(({ msg }) => msg)
  t.ok(messages.includes('request completed'), messages.join(', '))
  const config = readConfig({ PORT: '0', LOG_LEVEL: 'warn,exports=error' })
  t.ok((await logged({ config })).every(({ level }) => level >= 40))
})

const WRONG: [options: object, message: RegExp][] = [
  [{ ephemral: true }, /startServer has no option "ephemral"\. The options are: config, ephemeral, log, clock\./],
  [{ PORT: '0' }, /no option "PORT"\. Settings belong in "config": `config: readConfig\(\{ PORT: '…' \}\)`/],
  [{ ephemeral: 'yes' }, /"ephemeral" of startServer must be true or false\./],
  [{ log: 'loud' }, /"log" of startServer must be true, false, a stream, or one of: fatal, .*silent\./],
  [{ log: {} }, /"log" of startServer must be/],
  [{ clock: 0 }, /"clock" of startServer must be a function/],
  [{ config: 8000 }, /"config" of startServer must be the settings that readConfig returns/],
  [{ config: null }, /"config" of startServer must be the settings that readConfig returns/],
  [{ config: { PORT: 0 } }, /"config" lacks HOST and \d+ other settings\. Use readConfig, which adds the defaults/],
  [{ config: { ...readConfig({}), PROT: 1 } }, /"config" has no setting "PROT"\./],
  [{ config: { ...readConfig({}), PORT: '0' } }, /config\.PORT must be an integer between 0 and 65535\./],
  [{ config: { ...readConfig({}), LOG_LEVEL: 'loud' } }, /LOG_LEVEL .*fatal/],
  [{ config: { ...readConfig({}), SITE_URL: 'https://a.example/b' } }, /SITE_URL must not have a path/],
]

t.test('wrong options are rejected with a message that says what to do', async (t) => {
  for (const [options, message] of WRONG) await t.rejects(startServer(options as StartOptions), { message })
})
