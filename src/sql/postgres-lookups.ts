/**
 * Connections that several statements share: a statement is sent before the results of earlier ones have arrived. The
 * statements of one event-loop tick are sent with one system call, which costs more CPU time than the rest of a lookup.
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
  /** The times at which the pending statements were added, oldest first. Results arrive in the same order. */
  pending: number[]
  /** The statements of this tick by name and values. They are sent at its end. */
  unsent: Map<string, Promise<pg.QueryResult>>
}

/** The client of `pg` has this option. Its types do not. */
type PipelineConfig = pg.ClientConfig & { pipeline: true }

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
    const connection: Connection = {
      client: new pg.Client(options),
      socket,
      connected: false,
      pending: [],
      unsent: new Map(),
    }
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
      const { connected, pending, unsent } = connection
      const oldest = pending[0] ?? now
      if (!connected || pending.length >= MAX_PENDING || now - oldest > SLOW_MS) continue
      if (unsent.size > 0) return connection
      if (!chosen || pending.length < chosen.pending.length) chosen = connection
    }
    return chosen
  }

  function add(connection: Connection, key: string, config: pg.QueryConfig, now: number): Promise<pg.QueryResult> {
    const { client, socket, pending, unsent } = connection
    if (unsent.size === 0) {
      socket.cork()
      setImmediate(() => {
        // A later equal lookup is sent again: a change may have been committed in between.
        unsent.clear()
        socket.uncork()
      })
    }
    pending.push(now)
    const result = client.query(config).finally(() => pending.shift())
    unsent.set(key, result)
    return result
  }

  return {
    query: (config) => {
      const key = `${config.name} ${JSON.stringify(config.values)}`
      for (const { unsent } of connections) {
        const equal = unsent.get(key)
        if (equal) return equal.then(copyRows)
      }
      const now = performance.now()
      if (connections.length < CONNECTIONS && now >= not_before && !closed) connect()
      const connection = choose(now)
      return connection && add(connection, key, config, now)
    },
    close: async () => {
      closed = true
      await Promise.all(connections.map(({ client }) => client.end().catch(() => undefined)))
    },
  }
}
