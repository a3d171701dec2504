/** The demo workspace: a reproducible month of a small product. */

/** A seeded random number generator (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const PEOPLE = [
  { email: 'ada@hedgerow.example', first_name: 'Ada', last_name: 'Lovelace', level: 15 },
  { email: 'grace@hedgerow.example', first_name: 'Grace', last_name: 'Hopper', level: 8 },
  { email: 'edsger@hedgerow.example', first_name: 'Edsger', last_name: 'Dijkstra', level: 8 },
  { email: 'barbara@hedgerow.example', first_name: 'Barbara', last_name: 'Liskov', level: 1 },
  { email: 'tony@hedgerow.example', first_name: 'Tony', last_name: 'Hoare', level: 1 },
] as const
export const ORGANIZATIONS = ['Hedgerow Analytics', 'Bramble & Sons'] as const
export const PROJECTS = ['Web shop', 'Mobile app'] as const
export const INVITED = [
  { email: 'margaret@hedgerow.example', first_name: 'Margaret', level: 1 },
  { email: 'alan@hedgerow.example', first_name: 'Alan', level: 8 },
] as const
export const DOMAINS = ['hedgerow.example', 'hedgerow-analytics.example']

export const DAILY_EXPORT = {
  name: 'Every day into files',
  interval: 'day' as const,
  destination: { type: 'File' as const, config: { prefix: '{year}/{month}', compression: 'gzip' } },
}
export const EXPORTS = [
  {
    name: 'Payments, every hour',
    interval: 'hour' as const,
    paused: true,
    destination: { type: 'File' as const, config: { prefix: 'payments', include_events: ['paid'] } },
    hogql_query:
      'SELECT timestamp, distinct_id, properties.product AS product, toFloat(properties.price) AS price FROM events',
  },
]

export interface DemoEvent {
  event: string
  distinct_id: string
  /** ISO 8601. */
  timestamp: string
  properties: Record<string, unknown>
}

const DAY_MS = 86_400_000
const PAGES = ['/', '/pricing', '/products/kettle', '/products/teapot', '/blog/steeping', '/cart', '/docs']
const BROWSERS = ['Chrome', 'Chrome', 'Chrome', 'Safari', 'Safari', 'Firefox', 'Edge']
const SYSTEMS = ['Windows', 'Mac OS X', 'iOS', 'Android', 'Linux']
const SOURCES = ['', '', 'newsletter', 'search', 'partner']
const PLANS = ['free', 'free', 'team', 'business']

/**
 * Exactly `count` events of visits before `now`, oldest first. Most visitors browse, some fill a cart, a few pay.
 * Traffic is higher in the daytime and on weekdays, and grows every week.
 */
export function demoEvents(count: number, days: number, now: number, random: () => number): DemoEvent[] {
  const pick = <Item>(list: readonly Item[]): Item => {
    const item = list[Math.floor(random() * list.length)]
    if (item === undefined) throw new RangeError('Cannot pick from an empty list.')
    return item
  }
  const visitors = Array.from({ length: Math.max(10, Math.round(count / 60)) }, (_, i) => ({
    distinct_id: `visitor-${i + 1}`,
    email: `person${i + 1}@mail.example`,
    plan: pick(PLANS),
    known: false,
    $browser: pick(BROWSERS),
    $os: pick(SYSTEMS),
    utm_source: pick(SOURCES),
  }))

  const events: DemoEvent[] = []
  while (events.length < count) {
    const visitor = pick(visitors)
    const { distinct_id, email, plan, utm_source, $browser, $os } = visitor
    let time = now - randomAge(days, random)
    const $session_id = `${distinct_id}-${Math.floor(time / 1000).toString(36)}`
    const common = { $browser, $os, $session_id, ...(utm_source && { utm_source }) }
    const record = (event: string, properties: Record<string, unknown> = {}): void => {
      if (time < now)
        events.push({
          event,
          distinct_id,
          timestamp: new Date(time).toISOString(),
          properties: { ...common, ...properties },
        })
      time += 2_000 + Math.floor(random() * 60_000)
    }

    const pageviews = 1 + Math.floor(random() * 6)
    for (let i = 0; i < pageviews; i++) {
      const path = pick(PAGES)
      record('$pageview', { $current_url: `https://shop.hedgerow.example${path}`, $pathname: path })
    }
    if (!visitor.known && random() < 0.3) {
      visitor.known = true
      record('$identify', { $set: { email, plan }, $set_once: { first_seen: new Date(time).toISOString() } })
    }
    if (random() < 0.25) {
      const price = 5 + Math.floor(random() * 9_500) / 100
      const product = pick(['kettle', 'teapot', 'strainer', 'cosy'])
      record('added to cart', { product, price, quantity: 1 + Math.floor(random() * 3) })
      if (random() < 0.4)
        record('paid', { product, price, currency: pick(['EUR', 'GBP', 'USD']), first_time: random() < 0.5 })
    }
    if (random() < 0.05) record('error shown', { message: pick(['card refused', 'out of stock', 'timed out']) })
  }
  return events.sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1)).slice(-count)
}

/** Milliseconds before now, weighted toward recent days, the daytime and weekdays (UTC). */
function randomAge(days: number, random: () => number): number {
  for (;;) {
    const back = days * (1 - Math.sqrt(random())) * DAY_MS
    const hour = (back % DAY_MS) / 3_600_000
    const weekend = Math.floor(back / DAY_MS) % 7 >= 5
    if (random() < (hour > 6 && hour < 20 ? 1 : 0.25) * (weekend ? 0.4 : 1)) return back
  }
}
