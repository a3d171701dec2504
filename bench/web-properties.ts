/** The properties of events of web pages: 20 keys, about 400 bytes, with common and rare values. */
import { v7 } from 'uuid'
import { randomFrom } from './growth-events.ts'
import { PEOPLE } from './workspace.ts'

const EVENTS_PER_SESSION = 20
const PRICES = 400
const SECTIONS = ['docs', 'products', 'blog', 'help']
const PAGES = ['/', '/pricing', ...Array.from({ length: 398 }, (_, i) => `/${SECTIONS[i % SECTIONS.length]}/${i + 1}`)]
const BROWSERS = ['Chrome', 'Safari', 'Mobile Safari', 'Firefox', 'Microsoft Edge', 'Opera']
const SYSTEMS = ['Windows', 'iOS', 'Mac OS X', 'Android', 'Linux']
const REFERRERS = ['$direct', 'www.google.com', 'www.bing.com', 'news.example.com', 'duckduckgo.com']
const WIDTHS = [1920, 390, 1440, 1536, 2560]

/** Each person has one session after the other. */
const sessions = new Map<number, string>()

function sessionOf(i: number): string {
  const number = (i % PEOPLE) + PEOPLE * Math.floor(i / PEOPLE / EVENTS_PER_SESSION)
  const known = sessions.get(number) ?? v7()
  sessions.set(number, known)
  return known
}

export function webProperties(i: number, id: () => string): object {
  const random = randomFrom(i)
  /** The first items are the most frequent. */
  const oneOf = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(items.length * random() ** 3)]
  const width = oneOf(WIDTHS)
  return {
    $os: oneOf(SYSTEMS),
    $browser: oneOf(BROWSERS),
    $browser_version: 120 + Math.floor(random() * 12),
    $device_type: width === 390 ? 'Mobile' : 'Desktop',
    $host: 'example.com',
    $pathname: oneOf(PAGES),
    $referrer: oneOf(REFERRERS),
    $screen_width: width,
    $lib: 'web',
    $lib_version: '1.203.1',
    $insert_id: id().slice(-12),
    $session_id: sessionOf(i),
    $time: 1.76e9 + i,
    member: i % 3 === 0,
    plan: i % 5 === 0 ? 'paid' : 'free',
    price: Math.floor(random() * PRICES) / 4,
    items: Math.floor(random() * 4),
    variant: i % 2 ? 'a' : 'b',
    language: 'en-US',
    currency: 'EUR',
  }
}
