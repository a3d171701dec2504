/** A server whose mirror has small limits and little time between rounds. */
import { pino } from 'pino'
import { readConfig } from '../../../src/config.ts'
import { buildDeps } from '../../../src/deps.ts'
import { buildServer } from '../../../src/http/server.ts'
import { firstRun } from '../../../src/organizations/first-run.ts'
import { MIRROR_LIMITS } from '../seeds/mirror.ts'

const ROUND_MS = 20

const config = readConfig(process.env)
const log = pino({ level: 'error' }, pino.destination(2))
// The first files are written soon, and each deletion rewrites files.
const deps = await buildDeps({ config, log, mirrorLimits: { ...MIRROR_LIMITS, max_deletions: 1 } })
const first = await firstRun(deps.db, deps.ids, deps.now())
const app = await buildServer(deps)
const url = await app.listen({ host: '127.0.0.1', port: 0 })
deps.mirror?.keeper.start(0)
setInterval(() => deps.mirror?.keeper.wake(), ROUND_MS)
console.log(JSON.stringify({ url, ...first }))
