/** Texts that attack scanners, patterns and parsers, as functions of the size in characters. */

export type MakeText = (size: number) => string

/** Repeats a part up to the size, between a head and a tail. */
const repeated =
  (part: string, head = '', tail = ''): MakeText =>
  (size) =>
    head + part.repeat(Math.max(1, Math.floor((size - head.length - tail.length) / part.length))) + tail

/** Wraps a core in the same number of openings and closings. */
const nested =
  (open: string, core: string, close: string): MakeText =>
  (size) => {
    const depth = Math.max(1, Math.floor((size - core.length) / (open.length + close.length)))
    return open.repeat(depth) + core + close.repeat(depth)
  }

/** Texts for any field. */
export const TEXTS: Record<string, MakeText> = {
  'one long word': repeated('a'),
  'unclosed escaped quotes': repeated('\\"'),
  'escaped quotes after NaN': repeated('\\"', 'NaN'),
  quotes: repeated('"'),
  'single quotes': repeated("'"),
  backslashes: repeated('\\'),
  'escaped backslashes in unclosed quotes': repeated('a"\\\\"'),
  'unclosed strings': repeated('"a\\'),
  'zones with a parenthesis': repeated('Z('),
  'a date and zones': repeated('+00:00', '2026-01-01T00:00:00'),
  'a date and fractions': repeated('1', '2026-01-01T00:00:00.', 'x'),
  'a date and spaces': repeated(' ', '2026-01-01', 'x'),
  'many dates': repeated('2026-01-01T00:00:00Z '),
  'relative times': repeated('-7d'),
  'a number followed by a letter': repeated('1', '-', 'x'),
  digits: repeated('9'),
  'digits with decimal points': repeated('1.'),
  'digits after a decimal point': repeated('0', '0.', '1e'),
  exponents: repeated('e9', '1'),
  'opening parentheses': repeated('('),
  'opening brackets': repeated('['),
  'opening braces': repeated('{'),
  'opening tags': repeated('<a '),
  'comment openings': repeated('/*'),
  'line comments': repeated('--\n'),
  'spaces before a word': repeated(' ', '', 'x'),
  'spaces between words': repeated(' ', 'x', 'x'),
  'tabs and line breaks before a word': repeated('\t\r\n', 'x', 'x'),
  'no-break spaces before a word': repeated('\u00a0\u2003', 'x', 'x'),
  'line breaks': repeated('\r\n'),
  'percent escapes': repeated('%41'),
  'percent signs': repeated('%'),
  'broken percent escapes': repeated('%4'),
  'unicode escapes': repeated('\\u0041'),
  'escaped NULs': repeated('\\u0000'),
  NULs: repeated('\0', 'a'),
  'lone surrogates': repeated('\ud800'),
  'reversed surrogates': repeated('\udc00\ud800'),
  emoji: repeated('😀'),
  'combining marks': repeated('\u0301', 'e'),
  'joined emoji': repeated('👩\u200d'),
  'letters whose case mapping is longer': repeated('İßŉ'),
  'a list': repeated('a,'),
  'a list with spaces': repeated('a , '),
  semicolons: repeated('a;'),
  'equals signs': repeated('a='),
  colons: repeated('a:'),
  pipes: repeated('a|'),
  dots: repeated('.'),
  slashes: repeated('/'),
  'slashes before a word': repeated('/', 'x', 'x'),
  'parent directories': repeated('../'),
  'a pattern with nested repetition': repeated('(a+)+', '', '$'),
  'a pattern of repeated wildcards': repeated('.*', '', '='),
  'a pattern of nested groups': nested('(', 'a', ')*'),
  'a pattern of counted repetition': nested('(', 'a', '){9}'),
  'a pattern of alternatives': repeated('a|', '(', 'a)*'),
  'a pattern of classes': repeated('[^a]'),
  wildcards: repeated('%a_'),
  'an email address of many parts': repeated('a@'),
  'an email address with dots': repeated('a.', '', '@a'),
  'an email address with a long name': repeated('a', '', '@example.com'),
  'a quoted email address': repeated('\\"', '"', '"@a.b'),
  'a domain with an invalid end': repeated('a.', '', '-'),
  'a domain of hyphens': repeated('a-', '', '.'),
  'a domain of digits': repeated('0', '', '.aa-'),
  'a URL with a long host': repeated('a.', 'https://', '-'),
  'a URL with many users': repeated('a:a@', 'https://'),
  'a URL with a long path': repeated('/a', 'https://example.com'),
  'a URL with many parameters': repeated('a=b&', 'https://example.com/?'),
  'a URL with escapes': repeated('%2F', 'https://example.com/'),
  'an IPv6 address': repeated(':0', '['),
  'almost a UUID': repeated('01234567-89ab-'),
  'almost valid base64': repeated('QUFB', '', '!'),
  base64: repeated('QUFB'),
  'base64 with spaces': repeated('QUFB ', '', '='),
  'base64 padding': repeated('=', 'QQ'),
  'nested JSON lists': nested('[', '1', ']'),
  'nested JSON objects': nested('{"a":', '1', '}'),
  'JSON with many keys': (size) =>
    `{${Array.from({ length: Math.max(1, Math.floor(size / 12)) }, (_, i) => `"k${i}":${i % 10}`).join(',')}}`,
  'JSON with many numbers': repeated('1,', '[', '1]'),
  'JSON with many empty lists': repeated('[],', '[', '[]]'),
  'JSON with one long text': repeated('a', '"', '"'),
  'JSON strings in JSON strings': (size) => {
    let text = '"a"'
    while (text.length * 1.5 < size) text = JSON.stringify(text)
    return text
  },
  'a PEM certificate': repeated('QUFB\n', '-----BEGIN CERTIFICATE-----\n', '-----END CERTIFICATE-----'),
  'PEM openings': repeated('-----BEGIN CERTIFICATE-----'),
  'unterminated elements': repeated(':a="'),
  'elements with quotes': repeated('a:a="\\"";'),
  'elements of semicolons in quotes': repeated(';"'),
  classes: repeated('a.'),
  selectors: repeated('a > '),
  'template variables': repeated('{year}'),
  formulas: repeated('=1+', '=', '1'),
  cookies: repeated('a=b; '),
  'quality values': repeated('text/html;q=0.1,'),
  'forwarded addresses': repeated('10.0.0.1, '),
  'code of nested functions': nested('function a(){', '', '}'),
  'code of nested templates': nested('`${', '1', '}`'),
  'code of nested type arguments': repeated('a<'),
  'code of arrows': repeated('a=>'),
  'code of operators': repeated('1+', '', '1'),
  'code of exports': repeated('export function onEvent(){}\n'),
}

/** HogQL expressions. */
export const EXPRESSIONS: Record<string, MakeText> = {
  'parentheses in HogQL': nested('(', '1', ')'),
  'additions in HogQL': repeated('1+', '', '1'),
  'conjunctions in HogQL': repeated('event and ', '', 'event'),
  'negations in HogQL': repeated('not ', '', '1'),
  'signs in HogQL': repeated('- ', '', '1'),
  'comparisons in HogQL': repeated('1=', '', '1'),
  'a long list in HogQL': repeated("'a',", 'event in (', "'a')"),
  'a long string in HogQL': repeated('a', "event = '", "'"),
  'doubled quotes in HogQL': repeated("''", "event = '", "'"),
  'escapes in HogQL': repeated('\\\\', "event = '", "'"),
  'an unclosed string in HogQL': repeated("\\'", "event = '"),
  'a quoted name in HogQL': repeated('a', '`', '`'),
  'an unclosed quoted name in HogQL': repeated('\\`', '`'),
  'calls in HogQL': nested('lower(', 'event', ')'),
  'growing text in HogQL': (size) => {
    const depth = Math.max(1, Math.min(40, Math.floor(size / 30)))
    return `${'replaceAll('.repeat(depth)}event${", '', 'aaaaaaaaaa')".repeat(depth)}`
  },
  'repeated text in HogQL': () => 'length(repeat(repeat(repeat(event, 100000), 100000), 100000))',
  'doubled text in HogQL': nested('concat(event,', 'event', ')'),
  'ranges in HogQL': () => 'length(range(1000000000))',
  'fields of fields in HogQL': repeated('.a', 'properties'),
  'places in HogQL': repeated('[1]', 'properties'),
  'lists in HogQL': nested('[', '1', ']'),
  'conditions in HogQL': nested('if(event,', '1', ',1)'),
  'cases in HogQL': repeated('when event then 1 ', 'case ', 'end'),
  'patterns in HogQL': repeated('(a+)+', "match(properties.text, '", "$')"),
  'counted patterns in HogQL': () => "match(properties.text, '((((a{1,9}){1,9}){1,9}){1,9}){1,9}$')",
  'wildcards in HogQL': repeated('%a', "properties.text like '", "'"),
  'replacements by patterns in HogQL': () => "replaceRegexpAll(properties.text, '(a|aa)+$', 'aa')",
  'numbers in HogQL': repeated('9'),
  'comments in HogQL': repeated('/* */', '1'),
  'unclosed comments in HogQL': repeated('/*', '1'),
  'tuples in HogQL': nested('tuple(', '1', ')'),
  'times in HogQL': repeated('1', "toDateTime('2026-01-01 00:00:00.", "')"),
  'JSON in HogQL': nested('[', '1', ']'),
}
