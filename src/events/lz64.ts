import { createYielder } from './yield.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const SIX_BITS = new Uint8Array(128)
for (let i = 0; i < ALPHABET.length; i++) SIX_BITS[ALPHABET.charCodeAt(i)] = i

/** Codes before the dictionary: an 8-bit character, a 16-bit character, the end. */
const BYTE = 0
const WORD = 1
const END = 2

export class DecompressedTooLong extends Error {}

/**
 * Decompresses the output of lz-string's `compressToBase64`. The library has no size limit, and 14 kB can expand to more than
 * the available memory. This decoder throws TooLong. Undefined for other formats.
 */
export async function decompressLz64(text: string, limit: number): Promise<string | undefined> {
  const yieldIfDue = createYielder()
  const length = text.length * 6
  let at = 0
  const bits = (count: number): number => {
    let value = 0
    for (let i = 0; i < count; i++, at++) {
      const six = SIX_BITS[text.charCodeAt(Math.floor(at / 6)) & 127] ?? 0
      value |= ((six >> (5 - (at % 6))) & 1) << i
    }
    return value
  }

  const first = bits(2)
  if (first === END) return ''
  if (first > END) return undefined
  let before = String.fromCharCode(bits(first === BYTE ? 8 : 16))
  const dictionary = ['', '', '', before]
  const pieces = [before]
  let total = 1
  let width = 3
  let codesLeft = 4
  const grow = (): void => {
    if (--codesLeft === 0) codesLeft = 2 ** width++
  }
  for (let codes = 0; at <= length; codes++) {
    let code = bits(width)
    if (code === END) return pieces.join('')
    if (code === BYTE || code === WORD) {
      dictionary.push(String.fromCharCode(bits(code === BYTE ? 8 : 16)))
      code = dictionary.length - 1
      grow()
    }
    const entry: string | undefined = code === dictionary.length ? before + before.charAt(0) : dictionary[code]
    if (entry === undefined) return undefined
    total += entry.length
    if (total > limit) throw new DecompressedTooLong()
    pieces.push(entry)
    dictionary.push(before + entry.charAt(0))
    grow()
    before = entry
    if (codes % 1024 === 0) await yieldIfDue()
  }
  return undefined
}
