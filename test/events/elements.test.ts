import fc from 'fast-check'
import t from 'tap'
import { formatElements, parseElements } from '../../src/events/elements.ts'
import { anyCharacter } from '../helpers/characters.ts'

t.test('parses page elements back from their compact form', async (t) => {
  const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,5}$/)
  const value = fc.string({ unit: anyCharacter, maxLength: 12 })
  const element = fc.record({
    tag_name: word,
    attr_class: fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9:/[\]-]{0,6}$/), { minLength: 1, maxLength: 3 }),
    attributes: fc.dictionary(
      word.map((name) => `attr__${name}`),
      value,
      { maxKeys: 4, noNullPrototype: true },
    ),
    text: fc.option(value),
    href: fc.option(value),
    attr_id: fc.option(value),
    nth_child: fc.nat(99),
    nth_of_type: fc.nat(99),
  })
  fc.assert(
    fc.property(fc.array(element, { maxLength: 4 }), (elements) => {
      const wanted = elements.map((element, order) => ({
        event: null,
        ...element,
        attr_class: [...element.attr_class].sort(),
        order,
      }))
      t.strictSame(parseElements(formatElements(elements)), wanted)
    }),
    { numRuns: 300 },
  )
  t.strictSame(parseElements(''), [])
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), (text) => Array.isArray(parseElements(text))),
    { numRuns: 300 },
  )
  const long = `a:b="c"${'x'.repeat(1_000_000)}`
  t.match(parseElements(long), [{ attributes: { b: 'c' } }], 'skips garbage in linear time')
  t.match(parseElements('a'), [{ tag_name: 'a', attr_class: null, attributes: {} }])
  t.match(parseElements('a.b;c:__proto__="x"'), [{ attr_class: ['b'] }, { tag_name: 'c' }])
})
