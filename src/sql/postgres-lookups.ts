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

/** Callers may change the rows that they get. */
const copyRows = (result: pg.QueryResult): pg.QueryResult => ({
  ...result,
  rows: result.rows.map((row) => ({ ...row })),
})

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

  /** Prefers a connection with statements of this tick, and then the one with the fewest pending statements. */
  function choose(now: number): Connection | undefined {
    let chosen: Connection | undefined
    for (const connection of connections) {
      const { connected, sent, socket } = connection
      const oldest = sent[0] ?? now
      if (!connected || sent.length >= MAX_PENDING || now - oldest > SLOW_MS) continue
      if (socket.writableCorked > 0) return connection
      if (!chosen || sent.length < chosen.sent.length) chosen = connection
    }
    return chosen
  }

  /** The lookups of this tick. Requests that ask for the same share the result. */
  const unsent = new Map<string, Promise<pg.QueryResult>>()

  return {
    query: (config) => {
      const key = `${config.name} ${JSON.stringify(config.values)}`
      const same = unsent.get(key)
      if (same) return same.then(copyRows)
      const now = performance.now()
      if (connections.length < CONNECTIONS && now >= not_before && !closed) connect()
      const connection = choose(now)
      if (!connection) return undefined
      connection.sent.push(now)
      sendTogether(connection.socket)
      const result = connection.client.query(config).finally(() => connection.sent.shift())
      if (unsent.size === 0) setImmediate(() => unsent.clear())
      unsent.set(key, result)
      return result
    },
    close: async () => {
      closed = true
      await Promise.all(connections.map(({ client }) => client.end().catch(() => undefined)))
    },
  }
}
