/** A program for the tests of the process pool. */
import { open } from 'node:fs/promises'
import { getPriority } from 'node:os'
import { connectToParent } from '../../../src/background/parent.ts'
import { preferThreadPool } from '../../../src/background/priority.ts'

export type PooledRequest =
  | { echo: string }
  | { exit: number }
  | { describe: true }
  | { fillMemory: true }
  | { preferThreadPool: { main: number; pool: number } }
  /** Blocks a thread of the pool: nothing writes to this named pipe. */
  | { readPipe: string }
export type PooledReply =
  | { echo: string }
  | { pid: number; args: string[]; niceness: number; variables: string[]; execArgv: string[] }

const parent = connectToParent<PooledRequest, PooledReply>()
parent.onMessage((request) => {
  if ('exit' in request) process.exit(request.exit)
  else if ('echo' in request) for (const echo of request.echo.split(' ')) void parent.send({ echo })
  else if ('readPipe' in request) {
    void open(request.readPipe, 'r')
    void parent.send({ echo: String(process.pid) })
  } else if ('preferThreadPool' in request) {
    void preferThreadPool(request.preferThreadPool).then(() => parent.send({ echo: String(process.pid) }))
  } else if ('fillMemory' in request) for (const list: unknown[] = []; ; ) list.push(new Array(1000).fill(list.length))
  else
    void parent.send({
      pid: process.pid,
      args: process.argv.slice(2),
      niceness: getPriority(),
      variables: Object.keys(process.env),
      execArgv: process.execArgv,
    })
})
