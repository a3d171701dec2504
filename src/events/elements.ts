/** What was clicked, from the innermost element outwards, as one text that filters can search. */
import { cut, type Json } from './payload.ts'

const MAX_TEXT_LENGTH = 400
const MAX_HREF_LENGTH = 2_048

export function elementsChain(elements: unknown[]): string {
  return elements
    .filter((element): element is Json => typeof element === 'object' && element !== null && !Array.isArray(element))
    .map(elementText)
    .join(';')
}

/** `tag.class.class:key="value"key="value"`, classes and keys in order. */
function elementText(element: Json): string {
  const attributes: [name: string, value: unknown][] = [
    ['text', textOf(element.$el_text, MAX_TEXT_LENGTH)],
    ['href', textOf(element.attr__href, MAX_HREF_LENGTH)],
    ['attr_id', textOf(element.attr__id, MAX_HREF_LENGTH)],
    ['nth-child', element.nth_child ?? 0],
    ['nth-of-type', element.nth_of_type ?? 0],
    ...Object.entries(element).filter(([name]) => name.startsWith('attr__')),
  ]
  const written = attributes
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${escaped(name)}="${escaped(asText(value))}"`)
  const classes = classesOf(element.attr__class ?? element.attr_class).map((name) => `.${name.replaceAll('"', '')}`)
  return `${asText(element.tag_name ?? '')}${classes.join('')}:${written.join('')}`
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const textOf = (value: unknown, length: number): string | undefined =>
  value === undefined || value === null ? undefined : cut(asText(value), length)

const escaped = (text: string): string => text.replaceAll('"', '\\"')

function classesOf(told: unknown): string[] {
  const list = Array.isArray(told) ? told.map(asText) : typeof told === 'string' ? told.split(/\s+/) : []
  return list.filter((name) => name !== '').sort()
}
