/**
 * Connections that several statements share: each is sent before the results of those before it have arrived. Those of the
 * same event-loop tick are sent with one system call, which takes longer than the rest of the work of a lookup.
 */
import { Socket } from 'node:net'
import pg from 'pg'

const CONNECTIONS = 2
/** Bounds how long a lookup waits for those before it. */
const MAX_PENDING = 32
/** A connection is not used while one of its statements has been running for this long. */
const SLOW_MS = 25
const RECONNECT_MS = 1_000

export interface Lookups {
  /** Undefined when no connection can take a statement. */
  query(config: pg.QueryConfig): Promise<pg.QueryResult> | undefined
  close(): Promise<void>
}

interface Connection {
  client: pg.Client
  socket: Socket
  connected: boolean
  /** The times at which the pending statements were sent, oldest first. Results arrive in the same order. */
  sent: number[]
}

/** The client of `pg` has this option. Its types do not. */
type PipelineConfig = pg.ClientConfig & { pipeline: true }

/** Collects what is written until the end of this event-loop tick. */
function sendTogether(socket: Socket): void {
  if (socket.writableCorked > 0) return
  socket.cork()
  setImmediate(() => socket.uncork())
}

export function createLookups(config: pg.ClientConfig): Lookups {
  const connections: Connection[] = []
  let not_before = 0
  let closed = false

  function connect(): void {
    const socket = new Socket()
    const options: PipelineConfig = { ...config, pipeline: true, stream: () => socket }
    const connection: Connection = { client: new pg.Client(options), socket, connected: false, sent: [] }
    const remove = (): void => {
      const at = connections.indexOf(connection)
      if (at >= 0) connections.splice(at, 1)
    }
    connections.push(connection)
    connection.client.on('error', remove)
    connection.client.on('end', remove)
    connection.client.connect().then(
      () => {
        connection.connected = true
      },
      () => {
        not_before = performance.now() + RECONNECT_MS
        remove()
      },
    )
  }

  function leastUsed(now: number): Connection | undefined {
    let chosen: Connection | undefined
    for (const connection of connections) {
      const { connected, sent } = connection
      const oldest = sent[0] ?? now
      if (!connected || sent.length >= MAX_PENDING || now - oldest > SLOW_MS) continue
      if (!chosen || sent.length < chosen.sent.length) chosen = connection
    }
    return chosen
  }

  return {
    query: (config) => {
      const now = performance.now()
      if (connections.length < CONNECTIONS && now >= not_before && !closed) connect()
      const connection = leastUsed(now)
      if (!connection) return undefined
      connection.sent.push(now)
      sendTogether(connection.socket)
      return connection.client.query(config).finally(() => connection.sent.shift())
    },
    close: async () => {
      closed = true
      await Promise.all(connections.map(({ client }) => client.end().catch(() => undefined)))
    },
  }
}
