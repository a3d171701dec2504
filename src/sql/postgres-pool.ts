import pg from 'pg'

const ignore = (): void => undefined

/**
 * A pool whose broken connections end no process. A statement on one fails, and the pool replaces it. The pool itself only
 * listens to idle connections, and the packet with a response may also say that PostgreSQL shuts down: before the code that
 * waits for the connection could listen.
 */
export function openPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(options)
  pool.on('error', ignore)
  pool.on('connect', (client) => void client.on('error', ignore))
  return pool
}
