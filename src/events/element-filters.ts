/** Filters on the page elements of an event, as regular expressions over their compact form (`elements.ts`). */
import { invalid } from '../errors.ts'
import { call, constant, type Expr, field } from '../hogql/ast.ts'

const KEYS = ['selector', 'tag_name', 'href', 'text']
const TEXT_OPERATORS = ['exact', 'is_not', 'icontains', 'not_icontains', 'regex', 'not_regex', 'is_set', 'is_not_set']
const NEGATIVE: Record<string, string> = {
  is_not: 'exact',
  not_icontains: 'icontains',
  not_regex: 'regex',
  is_not_set: 'is_set',
}
/** The text inside the quotes of an attribute. */
const INSIDE = '(?:\\\\.|[^"\\\\])*?'
const ATTRIBUTE = `[^;"=]+="(?:\\\\.|[^"\\\\])*"`
const OTHER_CLASSES = '(?:\\.[^.;"=]*?)*?'

export function elementCondition(key: string, operator: string, values: readonly string[], at: string): Expr {
  if (!KEYS.includes(key)) throw invalid(`${at}__key`, `"key" must be one of: ${KEYS.join(', ')}.`, 'invalid_choice')
  const allowed = key === 'selector' || key === 'tag_name' ? ['exact', 'is_not'] : TEXT_OPERATORS
  if (!allowed.includes(operator))
    throw invalid(
      `${at}__operator`,
      `The operator for "${key}" must be one of: ${allowed.join(', ')}.`,
      'invalid_choice',
    )
  const positive = NEGATIVE[operator] ?? operator
  const patterns = positive === 'is_set' ? [`[:"]${key}="`] : values.map((value) => patternOf(key, positive, value, at))
  const matches = patterns.map((pattern) => call(1, 'match', [field(1, ['elements_chain']), constant(1, pattern)]))
  const [first = constant(1, false)] = matches
  const any = matches.length > 1 ? call(1, 'or', matches) : first
  return operator in NEGATIVE ? call(1, 'not', [any]) : any
}

function patternOf(key: string, operator: string, value: string, at: string): string {
  if (key === 'tag_name') return `(?:^|;)${escapePattern(value)}(?:[.:;]|$)`
  if (key === 'selector') return selectorPattern(value, at)
  const begin = `[:"]${key}="`
  if (operator === 'exact') return `${begin}${escapePattern(escapeAttribute(value))}"`
  if (operator === 'icontains') return `(?i)${begin}${INSIDE}${escapePattern(escapeAttribute(value))}`
  return `${begin}${INSIDE}(?:${value})`
}

/** Elements are stored innermost first, so a selector is read from its end. */
function selectorPattern(selector: string, at: string): string {
  const parts = selector
    .trim()
    .split(/\s*(>)\s*|\s+/)
    .filter((part) => part !== undefined && part !== '')
  let pattern = ''
  let direct = true
  for (const part of parts.reverse()) {
    if (part === '>') {
      direct = true
      continue
    }
    const element = elementPattern(part, at)
    pattern += pattern === '' ? `(?:^|;)${element}` : direct ? `;${element}` : `;(?:.*;)?${element}`
    direct = false
  }
  if (pattern === '')
    throw invalid(`${at}__value`, 'The selector is empty. Send at least one element, such as "button.primary".')
  return `${pattern}(?:;|$)`
}

/** The parts of a selector by their first character. A tag has none. */
const PIECES: Record<string, RegExp> = {
  '.': /^\.([\w\-:/[\]]+)/,
  '#': /^#([\w-]+)/,
  '[': /^\[([\w-]+)="([^"]*)"\]/,
  ':': /^:nth-child\((\d{1,6})\)/,
}
const TAG = /^([a-zA-Z][\w-]*|\*)/

/** Classes and attributes are stored in sorted order, so the pattern has them in that order too. */
function elementPattern(text: string, at: string): string {
  const classes: string[] = []
  const attributes: [string, string][] = []
  let tag = '[^.:;"]*'
  for (let rest = text; rest !== ''; ) {
    const sign = rest.charAt(0) in PIECES ? rest.charAt(0) : 'tag'
    const piece = (PIECES[sign] ?? TAG).exec(rest)
    if (!piece)
      throw invalid(
        `${at}__value`,
        `"${text}" is not a supported selector. Use tag, .class, #id, [attr="v"] and :nth-child(n).`,
      )
    const [whole, name = '', value = ''] = piece
    if (sign === 'tag' && name !== '*') tag = escapePattern(name)
    if (sign === '.') classes.push(name)
    if (sign === '#') attributes.push(['attr_id', name])
    if (sign === '[') attributes.push([name === 'href' || name === 'text' ? name : `attr__${name}`, value])
    if (sign === ':') attributes.push(['nth-child', name])
    rest = rest.slice(whole.length)
  }
  const classPatterns = classes.sort().map((name) => `${OTHER_CLASSES}\\.${escapePattern(name)}`)
  const attributePatterns = attributes
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `(?:${ATTRIBUTE})*?${escapePattern(name)}="${escapePattern(escapeAttribute(value))}"`)
  const rest = `:${attributePatterns.join('')}(?:${ATTRIBUTE})*`
  return `${tag}${classPatterns.join('')}${OTHER_CLASSES}${attributePatterns.length ? rest : `(?:${rest})?`}`
}

const escapeAttribute = (value: string): string => value.replace(/["\\]/g, '\\$&')

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
