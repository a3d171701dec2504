/** Runs an embedded PostgreSQL until standard input closes, which also happens when the parent process crashes. */
import { startPostgres } from './postgres.ts'

// The parent may end before the server has started.
process.stdout.on('error', () => undefined)
const server = await startPostgres({ durable: process.argv[2] === 'durable' })
console.log(server.url)
process.stdin.resume().on('end', async () => {
  await server.stop()
  process.exit()
})
