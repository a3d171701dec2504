/** Formats, rounds and sorts values as PostgreSQL does, for SQLite. */

/** The shortest digits that round-trip, with an exponent from 1e15 on and below 0.0001. */
export function formatFloat(value: number): string {
  if (value === 0) return '0'
  const [mantissa, exponent] = scientific(value.toExponential())
  if (exponent < -4 || exponent >= 15) {
    const digits = String(Math.abs(exponent)).padStart(2, '0')
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`
  }
  const sign = value < 0 ? '-' : ''
  const digits = mantissa.replace(/[-.]/g, '')
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  if (digits.length <= exponent + 1) return sign + digits.padEnd(exponent + 1, '0')
  return `${sign}${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`
}

/** `-1.5e+3` as `['-1.5', 3]`. */
function scientific(text: string): [mantissa: string, exponent: number] {
  const e = text.indexOf('e')
  return [text.slice(0, e), Number(text.slice(e + 1))]
}

/** Rounds half away from zero, on the 15 significant digits of a double. */
export function roundHalfUp(value: number, places: number): number {
  if (!Number.isFinite(value)) return value
  const [mantissa, exponent] = scientific(value.toExponential(14))
  const digits = BigInt(mantissa.replace('.', ''))
  // value = digits × 10^scale
  const scale = exponent - 14
  const drop = -places - scale
  if (drop <= 0) return Number(`${digits}e${scale}`)
  if (drop > 30) return 0
  const unit = 10n ** BigInt(drop)
  const half = digits < 0n ? -unit / 2n : unit / 2n
  const rounded = Number(`${(digits + half) / unit}e${-places}`)
  return rounded === 0 ? 0 : rounded
}

/** Orders by code point. JavaScript's `<` orders by UTF-16 code unit. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (x === y) continue
    const [xSurrogate, ySurrogate] = [x >= 0xd800 && x <= 0xdfff, y >= 0xd800 && y <= 0xdfff]
    return xSurrogate === ySurrogate ? x - y : xSurrogate ? 1 : -1
  }
  return a.length - b.length
}
