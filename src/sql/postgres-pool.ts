import pg from 'pg'

const ignore = (): void => undefined

/**
 * A pool that listens to every connection, so that a broken one does not end the process. Its statement fails, and the pool
 * replaces it. A listener that is added to a connection in use would be too late: one packet may contain both the response
 * that frees the connection and the error that ends it.
 */
export function openPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(options)
  pool.on('error', ignore)
  pool.on('connect', (client) => void client.on('error', ignore))
  return pool
}
