/**
 * Bounds the XML of a SAML response in one linear pass, before a parser reads it. Parsing and verifying take quadratic time
 * in each of these counts: 5,000 empty elements (20 KiB) take 2.9 s of CPU time, and a response at all limits 1 s.
 */

/**
 * Elements, CDATA sections and processing instructions. A user of Active Directory is in at most 1,015 groups. Each of
 * them is an AttributeValue, at some providers in an Attribute of its own.
 */
const MAX_NODES = 2_500
/** Okta repeats two namespaces and a type in each AttributeValue. */
const MAX_ATTRIBUTES = 6_000
/** Namespaces included. Responses have up to 15. */
const MAX_ATTRIBUTES_OF_ELEMENT = 50
/** Of an element and its ancestors. Providers declare up to 10. */
const MAX_NAMESPACES = 50
/** Signatures are the deepest part, with 9 levels. */
const MAX_DEPTH = 50

/** Returns why a text exceeds a limit or has malformed tags. Other errors are left to the parser. */
export function findExcess(xml: string): string | undefined {
  let nodes = 0
  let attributes = 0
  let namespaces = 0
  /** The number of namespaces of each open element. */
  const open: number[] = []
  let at = xml.indexOf('<')
  while (at >= 0) {
    let end: number
    if (xml[at + 1] === '/') {
      end = closingTag(xml, at)
      const closed = open.pop()
      if (closed === undefined) return MALFORMED
      namespaces -= closed
    } else if (xml[at + 1] === '?' || xml[at + 1] === '!') {
      nodes++
      end = xml[at + 1] === '?' ? endOf(xml, at, '<?', '?>') : endOf(xml, at, '<![CDATA[', ']]>')
    } else {
      nodes++
      const tag = openingTag(xml, at)
      end = tag.end
      attributes += tag.attributes
      if (tag.attributes > MAX_ATTRIBUTES_OF_ELEMENT) return 'the response has too many attributes in an element'
      if (namespaces + tag.namespaces > MAX_NAMESPACES) return 'the response has too many namespaces'
      if (!tag.isEmpty) {
        namespaces += tag.namespaces
        open.push(tag.namespaces)
      }
    }
    if (end < 0) return MALFORMED
    if (nodes > MAX_NODES) return 'the response has too many elements'
    if (attributes > MAX_ATTRIBUTES) return 'the response has too many attributes'
    if (open.length > MAX_DEPTH) return 'the response is nested too deeply'
    at = xml.indexOf('<', end)
  }
  return undefined
}

const MALFORMED = 'the response has a malformed tag'

/** The end of a part, or -1. */
function endOf(xml: string, at: number, start: string, end: string): number {
  const found = xml.startsWith(start, at) ? xml.indexOf(end, at + start.length) : -1
  return found < 0 ? -1 : found + end.length
}

// Parsers also take other characters for blanks. The names in SAML are ASCII.
const NAME = /[\w:.-]*/y
const BLANKS = /[ \t\r\n]*/y

/** The end of what the pattern matches at this place. */
function skip(pattern: RegExp, xml: string, at: number): number {
  pattern.lastIndex = at
  pattern.test(xml)
  return pattern.lastIndex
}

function closingTag(xml: string, at: number): number {
  const end = skip(BLANKS, xml, skip(NAME, xml, at + 2))
  return xml[end] === '>' ? end + 1 : -1
}

interface Tag {
  /** -1 for a malformed tag. Parsers accept attributes without quotes or values, so these could not be counted. */
  end: number
  isEmpty: boolean
  attributes: number
  namespaces: number
}

function openingTag(xml: string, start: number): Tag {
  const tag: Tag = { end: -1, isEmpty: false, attributes: 0, namespaces: 0 }
  let at = skip(NAME, xml, start + 1)
  if (at === start + 1) return tag
  for (;;) {
    const name = skip(BLANKS, xml, at)
    if (xml[name] === '>') return { ...tag, end: name + 1 }
    if (xml.startsWith('/>', name)) return { ...tag, end: name + 2, isEmpty: true }
    const name_end = skip(NAME, xml, name)
    const equals = skip(BLANKS, xml, name_end)
    const value = skip(BLANKS, xml, equals + 1)
    const quote = xml[value]
    if (name === at || name_end === name || xml[equals] !== '=' || (quote !== '"' && quote !== "'")) return tag
    const value_end = xml.indexOf(quote, value + 1)
    if (value_end < 0) return tag
    if (++tag.attributes > MAX_ATTRIBUTES_OF_ELEMENT) return tag
    if (/^xmlns(?::|$)/.test(xml.slice(name, Math.min(name_end, name + 6)))) tag.namespaces++
    at = value_end + 1
  }
}
