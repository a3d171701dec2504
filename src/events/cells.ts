/** The bytes of the encoding `cells`. */

/** One byte each. A line ends with a delimiter, so no line is empty. In text these bytes are escaped. */
export const CELL = { delimiter: '\u0002', none: '\u0003', escape: '\u0005' }
/** Escaped bytes and the letters that replace them. The escape byte itself comes first. */
export const CELL_ESCAPES: readonly (readonly [string, string])[] = [
  [CELL.escape, 'e'],
  [CELL.delimiter, 'd'],
  [CELL.none, '0'],
  ['\n', 'n'],
  ['\r', 'r'],
]
