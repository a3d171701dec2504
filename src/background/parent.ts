/** The child's side of `process-pool.ts`. */
import { lowerPriority } from './priority.ts'

export interface Parent<Request, Reply> {
  /** Resolves when the message is written. */
  send(reply: Reply): Promise<void>
  /** Messages that arrive earlier are buffered. */
  onMessage(listener: (request: Request) => void): void
}

/** Connects a program to the server that forked it. The program exits with the server. */
export function connectToParent<Request, Reply>({ niceness }: { niceness?: number } = {}): Parent<Request, Reply> {
  const post = process.send?.bind(process)
  if (!post) throw new Error('This program can only run as a child process of the server.')
  if (niceness !== undefined) lowerPriority(niceness)
  // `process.exit` would wait for the thread pool, and a thread that reads a named pipe never ends.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  // Ctrl-C and service managers signal the whole process group. The server decides when its children exit.
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => undefined)
  return {
    send: (reply) => new Promise((resolve) => post(reply, undefined, undefined, () => resolve())),
    onMessage: (listener) => void process.on('message', listener),
  }
}
