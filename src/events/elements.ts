/** Page elements in their compact form: `tag.class:attribute="value"…`, innermost first, joined by semicolons. */
import { isJsonObject } from '../json/object.ts'
import { truncate } from './payload.ts'

const MAX_TEXT_LENGTH = 400
const MAX_HREF_LENGTH = 2_048

export interface Element {
  event: null
  text: string | null
  tag_name: string | null
  attr_class: string[] | null
  href: string | null
  attr_id: string | null
  nth_child: number | null
  nth_of_type: number | null
  attributes: Record<string, string>
  order: number
}

/** Browsers do not nest deeper. Bounds the size of a response. */
const MAX_ELEMENTS = 512

/** Attributes and classes per chain. Pages have a few dozen; parsing the 45,000 that fit into an event took 150 ms. */
const MAX_PARTS = 5_000

export function parseElements(chain: string): Element[] {
  const budget = { parts: MAX_PARTS }
  return split(chain).map((part, order) => parseElement(part, order, budget))
}

/** The attributes and classes that may still be parsed. */
interface Budget {
  parts: number
}

/** The index of the closing quote for the opening quote at `open`; -1 if it is missing. */
function closingQuote(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return -1
}

/** Splits at semicolons outside quotes. An unclosed quote and those after it are plain characters. */
function split(chain: string): string[] {
  const parts: string[] = []
  let start = 0
  let quotes = true
  for (let at = 0; at < chain.length; at++) {
    if (chain[at] === '"' && quotes) {
      const end = closingQuote(chain, at)
      if (end < 0) quotes = false
      else at = end
    } else if (chain[at] === ';') {
      if (at > start) parts.push(chain.slice(start, at))
      if (parts.length === MAX_ELEMENTS) return parts
      start = at + 1
    }
  }
  if (start < chain.length) parts.push(chain.slice(start))
  return parts
}

function parseElement(part: string, order: number, budget: Budget): Element {
  const begin = attributesAt(part)
  const [tag, ...classes] = part.slice(0, begin).split('.', budget.parts + 1)
  budget.parts -= classes.length
  const parsed = parseAttributes(part, begin + 1, budget)
  const { text, href, attr_id, 'nth-child': child, 'nth-of-type': type, ...attributes } = parsed
  return {
    event: null,
    text: text ?? null,
    tag_name: tag || null,
    attr_class: classes.length ? classes : null,
    href: href ?? null,
    attr_id: attr_id ?? null,
    nth_child: count(child),
    nth_of_type: count(type),
    attributes: { ...attributes },
    order,
  }
}

/** Classes may contain colons (`md:flex`), so attributes begin at the first colon followed by `name="`. */
function attributesAt(part: string): number {
  let colon = -1
  for (let at = 0; at < part.length; at++) {
    const sign = part[at]
    if (sign === ':') colon = at
    else if (sign === '=' && part[at + 1] === '"' && colon >= 0) return colon
    else if (sign === '=' || sign === '"') colon = -1
  }
  return part.endsWith(':') ? part.length - 1 : part.length
}

/** Parses consecutive `name="value"` pairs and stops at anything else. */
function parseAttributes(part: string, begin: number, budget: Budget): Record<string, string> {
  const found: Record<string, string> = Object.create(null)
  for (let at = begin; at < part.length && budget.parts > 0; budget.parts--) {
    const equals = part.indexOf('=', at)
    const close = equals > at && part[equals + 1] === '"' ? closingQuote(part, equals + 1) : -1
    const name = part.slice(at, equals)
    if (close < 0 || name.includes('"')) break
    found[name] = unescapeValue(part.slice(equals + 2, close))
    at = close + 1
  }
  return found
}

const unescapeValue = (value: string): string => value.replace(/\\(["\\])/g, '$1')

const count = (text: string | undefined): number | null => (text && /^\d{1,9}$/.test(text) ? Number(text) : null)

/** Writes the compact form. `parseElements` reads it back, except quotes and separators in class names. */
export const formatElements = (elements: readonly Omit<Element, 'event' | 'order'>[]): string =>
  elements.map(formatElement).join(';')

function formatElement({ attributes, ...element }: Omit<Element, 'event' | 'order'>): string {
  const classes = [...(element.attr_class ?? [])].map((name) => name.replace(/[".;\s]/g, '')).filter(Boolean)
  const values: Record<string, string> = {
    ...attributes,
    ...(element.text !== null && { text: element.text }),
    ...(element.href !== null && { href: element.href }),
    ...(element.attr_id !== null && { attr_id: element.attr_id }),
    'nth-child': String(element.nth_child ?? 0),
    'nth-of-type': String(element.nth_of_type ?? 0),
  }
  const head = [element.tag_name ?? '', ...classes.sort()].join('.')
  const pairs = Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))
  return `${head}:${pairs.map(([key, value]) => `${key}="${escapeValue(value)}"`).join('')}`
}

const escapeValue = (value: string): string => value.replace(/["\\]/g, '\\$&')

/** The compact form of `$elements`, which browsers send. */
export const elementsChain = (sent: unknown[]): string =>
  formatElements(
    sent
      .filter(isJsonObject)
      .slice(0, MAX_ELEMENTS)
      .map((one) => ({
        text: textOf(one.$el_text, MAX_TEXT_LENGTH),
        tag_name: asText(one.tag_name ?? ''),
        attr_class: classesOf(one.attr__class ?? one.attr_class),
        href: textOf(one.attr__href, MAX_HREF_LENGTH),
        attr_id: textOf(one.attr__id, MAX_HREF_LENGTH),
        nth_child: Number(one.nth_child ?? 0),
        nth_of_type: Number(one.nth_of_type ?? 0),
        attributes: Object.fromEntries(
          Object.entries(one)
            .slice(0, MAX_PARTS)
            .filter(([name, value]) => name.startsWith('attr__') && value !== null && value !== '')
            .map(([name, value]) => [name.replace(/["=]/g, ''), asText(value)]),
        ),
      })),
  )

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const textOf = (value: unknown, length: number): string | null =>
  value === undefined || value === null || value === '' ? null : truncate(asText(value), length)

const classesOf = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.slice(0, MAX_PARTS).map(asText)
    : typeof value === 'string'
      ? value.split(/\s+/, MAX_PARTS)
      : []
