/** A believable month of a small product's life, the same every time. */

/** Numbers from 0 to 1 that follow from the seed alone (mulberry32). */
export function randomFrom(seed: number): () => number {
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
]
export const ORGANIZATIONS = ['Hedgerow Analytics', 'Bramble & Sons']
export const PROJECTS = ['Web shop', 'Mobile app']
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
const SOURCES = [undefined, undefined, 'newsletter', 'search', 'partner']
const PLANS = ['free', 'free', 'team', 'business']

/**
 * Visits over the days before `now`: most people look, some put something into the cart, a few pay. Busier in the
 * daytime and on weekdays, and busier every week. Exactly `count` events, oldest first.
 */
export function demoEvents(count: number, days: number, now: number, random: () => number): DemoEvent[] {
  const pick = <Item>(list: readonly Item[]): Item => list[Math.floor(random() * list.length)]!
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
    const { distinct_id, email, plan, utm_source, ...device } = pick(visitors)
    const visitor = visitors.find((one) => one.distinct_id === distinct_id)!
    let time = now - momentBefore(days, random)
    const $session_id = `${distinct_id}-${Math.floor(time / 1000).toString(36)}`
    const common = { $browser: device.$browser, $os: device.$os, $session_id, ...(utm_source && { utm_source }) }
    const say = (event: string, properties: Record<string, unknown> = {}): void => {
      if (time < now)
        events.push({
          event,
          distinct_id,
          timestamp: new Date(time).toISOString(),
          properties: { ...common, ...properties },
        })
      time += 2_000 + Math.floor(random() * 60_000)
    }

    const looks = 1 + Math.floor(random() * 6)
    for (let i = 0; i < looks; i++) {
      const path = pick(PAGES)
      say('$pageview', { $current_url: `https://shop.hedgerow.example${path}`, $pathname: path })
    }
    if (!visitor.known && random() < 0.3) {
      visitor.known = true
      say('$identify', { $set: { email, plan }, $set_once: { first_seen: new Date(time).toISOString() } })
    }
    if (random() < 0.25) {
      const price = 5 + Math.floor(random() * 9_500) / 100
      const product = pick(['kettle', 'teapot', 'strainer', 'cosy'])
      say('added to cart', { product, price, quantity: 1 + Math.floor(random() * 3) })
      if (random() < 0.4)
        say('paid', { product, price, currency: pick(['EUR', 'GBP', 'USD']), first_time: random() < 0.5 })
    }
    if (random() < 0.05) say('error shown', { message: pick(['card refused', 'out of stock', 'timed out']) })
  }
  return events.sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1)).slice(-count)
}

/** Milliseconds before now: more of them lately, by day, and from Monday to Friday (UTC). */
function momentBefore(days: number, random: () => number): number {
  for (;;) {
    const back = days * (1 - Math.sqrt(random())) * DAY_MS
    const hour = (back % DAY_MS) / 3_600_000
    const weekend = Math.floor(back / DAY_MS) % 7 >= 5
    if (random() < (hour > 6 && hour < 20 ? 1 : 0.25) * (weekend ? 0.4 : 1)) return back
  }
}
