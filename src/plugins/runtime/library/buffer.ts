import { decode, encode, sync } from './host.ts'

export class Buffer extends Uint8Array {
  static override from(value: unknown, encodingOrOffset?: unknown, length?: number): Buffer {
    if (typeof value === 'string') return new Buffer(encode(value, encodingOrOffset ?? 'utf8'))
    if (value instanceof ArrayBuffer) return new Buffer(value, encodingOrOffset as number | undefined, length)
    if (ArrayBuffer.isView(value) || Array.isArray(value)) {
      const bytes = value as Uint8Array
      const buffer = new Buffer(bytes.length)
      buffer.set(bytes)
      return buffer
    }
    const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown }
    if (type === 'Buffer' && Array.isArray(data)) return Buffer.from(data)
    const text = (value as object | null | undefined)?.valueOf?.()
    if (typeof text === 'string') return Buffer.from(text, encodingOrOffset)
    throw new TypeError('Buffer.from takes a string, a list of bytes, an ArrayBuffer or a Buffer.')
  }
  static alloc(size: number, fill?: unknown, encoding?: unknown): Buffer {
    const buffer = new Buffer(size)
    if (fill === undefined || fill === 0) return buffer
    const pattern = typeof fill === 'number' ? [fill] : Buffer.from(fill, encoding)
    for (let i = 0; pattern.length && i < size; i++) buffer[i] = pattern[i % pattern.length] ?? 0
    return buffer
  }
  static allocUnsafe(size: number): Buffer {
    return new Buffer(size)
  }
  static concat(list: Uint8Array[], total = list.reduce((sum, item) => sum + item.length, 0)): Buffer {
    const buffer = new Buffer(total)
    let at = 0
    for (const item of list) {
      if (at >= total) break
      buffer.set(at + item.length > total ? item.subarray(0, total - at) : item, at)
      at += item.length
    }
    return buffer
  }
  static isBuffer(value: unknown): value is Buffer {
    return value instanceof Buffer
  }
  static isEncoding(name: unknown): boolean {
    return sync('isEncoding', String(name))
  }
  static byteLength(value: string | ArrayBuffer | ArrayBufferView, encoding?: unknown): number {
    return typeof value === 'string' ? Buffer.from(value, encoding).length : value.byteLength
  }
  static compare(a: Buffer, b: Buffer): number {
    return a.compare(b)
  }
  override toString(encoding: unknown = 'utf8', start = 0, end = this.length): string {
    const from = Math.max(0, start)
    const to = Math.max(from, Math.min(end, this.length))
    return decode(this.buffer.slice(this.byteOffset + from, this.byteOffset + to), encoding)
  }
  toJSON(): { type: 'Buffer'; data: number[] } {
    return { type: 'Buffer', data: [...this] }
  }
  equals(other: Uint8Array): boolean {
    return this.compare(other) === 0
  }
  compare(other: Uint8Array): number {
    const length = Math.min(this.length, other.length)
    for (let i = 0; i < length; i++) if (this[i] !== other[i]) return Number(this[i]) < Number(other[i]) ? -1 : 1
    return Math.sign(this.length - other.length)
  }
  override slice(start?: number, end?: number): Buffer {
    return this.subarray(start, end) as Buffer
  }
  copy(target: Uint8Array, at = 0, start = 0, end = this.length): number {
    const part = this.subarray(start, Math.min(end, start + target.length - at))
    target.set(part, at)
    return part.length
  }
  write(text: string, at = 0, length: number | string = this.length - at, encoding: unknown = 'utf8'): number {
    const bytes = Buffer.from(text, typeof length === 'string' ? length : encoding)
    return bytes.copy(this, at, 0, typeof length === 'string' ? undefined : length)
  }
  override indexOf(value: number | string | Uint8Array, from?: number, encoding?: unknown): number {
    if (typeof value === 'number') return super.indexOf(value & 255, from)
    const wanted = typeof value === 'string' ? Buffer.from(value, encoding) : value
    for (let i = from ?? 0; i <= this.length - wanted.length; i++)
      if (this.slice(i, i + wanted.length).equals(wanted)) return i
    return -1
  }
  override includes(value: number | string | Uint8Array, from?: number, encoding?: unknown): boolean {
    return this.indexOf(value, from, encoding) >= 0
  }
}

/** The numbers of `Buffer` and their names in `DataView`. Those with more than one byte have a byte order. */
const NUMBERS = {
  UInt8: 'Uint8',
  Int8: 'Int8',
  UInt16: 'Uint16',
  UInt32: 'Uint32',
  Int16: 'Int16',
  Int32: 'Int32',
  BigUInt64: 'BigUint64',
  BigInt64: 'BigInt64',
  Float: 'Float32',
  Double: 'Float64',
} as const
type NumberType = (typeof NUMBERS)[keyof typeof NUMBERS]

/** Adds `readInt16BE`, `writeInt16BE` and the like. */
function addNumber(name: string, type: NumberType, isLittle?: boolean): void {
  const view = ({ buffer, byteOffset, byteLength }: Buffer): DataView => new DataView(buffer, byteOffset, byteLength)
  const size = Number(/\d+/.exec(type)?.[0]) / 8
  Reflect.set(Buffer.prototype, `read${name}`, function (this: Buffer, at = 0) {
    return view(this)[`get${type}`](at, isLittle)
  })
  Reflect.set(Buffer.prototype, `write${name}`, function (this: Buffer, value: never, at = 0) {
    view(this)[`set${type}`](at, value, isLittle)
    return at + size
  })
}

for (const [name, type] of Object.entries(NUMBERS)) {
  if (name.endsWith('8')) addNumber(name, type)
  else {
    addNumber(`${name}BE`, type, false)
    addNumber(`${name}LE`, type, true)
  }
}

/** The bytes of a text, of a buffer or of a view of one. */
export function bytesOf(value: unknown): Buffer | undefined {
  if (value === undefined || value === null) return undefined
  if (value instanceof ArrayBuffer) return Buffer.from(value)
  if (ArrayBuffer.isView(value)) return Buffer.from(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
  return Buffer.from(String(value))
}

/** Bytes whose `buffer` has nothing else. */
export const copyOf = (value: unknown): Buffer => Buffer.concat([bytesOf(value) as Buffer])
