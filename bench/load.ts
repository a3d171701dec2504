/** Many requests at once, from this process: the one who asks has one core, and who is asked the other. */
import type { Peer } from './peers.ts'

const CONNECTIONS = 10

/** As much of autocannon as is used here. */
type Run = (options: object) => Promise<{ non2xx: number; errors: number; timeouts: number }>

export interface Asking {
  method?: 'GET' | 'POST' | 'PATCH'
  path: string
  body?: string
}

/** How long so many requests take, in milliseconds. Throws when one is not answered with success. */
export async function load(places: Peer | Peer[], asking: Asking, amount: number): Promise<number> {
  // From a folder of its own, since the product does not need it.
  const { default: run }: { default: Run } = await import(
    new URL('./node_modules/autocannon/autocannon.js', import.meta.url).href
  )
  const list = [places].flat()
  const start = performance.now()
  const results = await Promise.all(
    list.map(({ url, api_key }) =>
      run({
        url: `${url}${asking.path}`,
        method: asking.method ?? 'GET',
        headers: {
          authorization: `Bearer ${api_key}`,
          ...(asking.body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(asking.body !== undefined && { body: asking.body }),
        connections: CONNECTIONS,
        amount: Math.floor(amount / list.length),
        timeout: 60,
        // It looks whether it is done so often; a second is its own idea.
        sampleInt: 10,
      }),
    ),
  )
  for (const { non2xx, errors, timeouts } of results)
    if (non2xx + errors + timeouts > 0) throw new Error(`${non2xx} refused, ${errors} failed, ${timeouts} too late`)
  return performance.now() - start
}
