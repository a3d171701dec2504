import fc from 'fast-check'

/** Any character of Unicode. The unit `binary` of fast-check takes a second of CPU time to prepare. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff })
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
