/** Numbers and texts as PostgreSQL writes, rounds and sorts them, for SQLite. */

/** The shortest digits that mean the number; with an exponent from 1e15 on and below 0.0001. */
export function floatText(value: number): string {
  if (value === 0) return '0'
  const [mantissa, power] = value.toExponential().split('e') as [string, string]
  const exponent = Number(power)
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

/** Half away from zero, on the fifteen digits that are certain. */
export function roundHalfUp(value: number, places: number): number {
  if (!Number.isFinite(value)) return value
  const [mantissa, power] = value.toExponential(14).split('e') as [string, string]
  const digits = BigInt(mantissa.replace('.', ''))
  /** digits × 10^scale is the value. */
  const scale = Number(power) - 14
  const drop = -places - scale
  if (drop <= 0) return Number(`${digits}e${scale}`)
  if (drop > 30) return 0
  const unit = 10n ** BigInt(drop)
  const half = digits < 0n ? -unit / 2n : unit / 2n
  const rounded = Number(`${(digits + half) / unit}e${-places}`)
  return rounded === 0 ? 0 : rounded
}

/** By code point, where JavaScript compares halves of pairs. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (x === y) continue
    const [high_x, high_y] = [x >= 0xd800 && x <= 0xdfff, y >= 0xd800 && y <= 0xdfff]
    return high_x === high_y ? x - y : high_x ? 1 : -1
  }
  return a.length - b.length
}
