/** Load generator. It runs in this process, so on two cores the server has one core to itself. */
import type { Peer } from './peers.ts'

const CONNECTIONS = 10

/** The part of autocannon's API used here. */
type Run = (options: object) => Promise<{ non2xx: number; errors: number; timeouts: number }>

export interface RequestSpec {
  method?: 'GET' | 'POST' | 'PATCH'
  path: string
  body?: string
}

/** Sends `amount` requests and returns the time in milliseconds. Throws unless every response is successful. */
export async function load(servers: Peer | Peer[], request: RequestSpec, amount: number): Promise<number> {
  // Installed in bench/, since the server does not depend on it.
  const { default: run }: { default: Run } = await import(
    new URL('./node_modules/autocannon/autocannon.js', import.meta.url).href
  )
  const list = [servers].flat()
  const start = performance.now()
  const results = await Promise.all(
    list.map(({ url, api_key }) =>
      run({
        url: `${url}${request.path}`,
        method: request.method ?? 'GET',
        headers: {
          authorization: `Bearer ${api_key}`,
          ...(request.body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(request.body !== undefined && { body: request.body }),
        connections: CONNECTIONS,
        amount: Math.floor(amount / list.length),
        timeout: 60,
        // How often autocannon checks whether it is done. The default of one second is too coarse.
        sampleInt: 10,
      }),
    ),
  )
  for (const { non2xx, errors, timeouts } of results)
    if (non2xx + errors + timeouts > 0)
      throw new Error(`${non2xx} error responses, ${errors} connection errors, ${timeouts} timeouts`)
  return performance.now() - start
}
