import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** At a shutdown, a request that is just arriving is still served. */
const GRACE_MS = 500

/**
 * Closes connections without a complete request at a shutdown. Browsers open connections in advance. Node does not count them
 * as idle, and stops checking their timeouts when the server closes.
 */
export function createUnusedConnections(server: Server): { use(socket: Socket): void; closeSoon(): void } {
  const unused = new Set<Socket>()
  server.on('connection', (socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  return {
    /** The connection has a request. */
    use: (socket) => void unused.delete(socket),
    closeSoon: () => {
      setTimeout(() => {
        for (const socket of unused) socket.destroy()
      }, GRACE_MS).unref()
    },
  }
}
