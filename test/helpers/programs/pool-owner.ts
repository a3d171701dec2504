/** Starts a pooled process that reads a named pipe, and prints its id. A test kills this program. */
import { createProcessPool } from '../../../src/background/process-pool.ts'
import type { PooledReply, PooledRequest } from './pooled-process.ts'

const pool = createProcessPool<PooledRequest, PooledReply>({
  program: new URL('./pooled-process', import.meta.url),
  idle_ms: 60_000,
})
const child = pool.take()
await child.send({ readPipe: process.argv[2] ?? '' })
const reply = await child.receive()
if ('echo' in reply) console.log(reply.echo)
