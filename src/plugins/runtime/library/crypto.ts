import { Buffer, copyOf } from './buffer.ts'
import { hash, random, sync } from './host.ts'

class Hash {
  #algorithm: string
  #key: Buffer | undefined
  #parts: Buffer[] = []
  constructor(algorithm: unknown, key?: Buffer) {
    this.#algorithm = String(algorithm)
    this.#key = key
  }
  update(data: unknown, encoding?: unknown): this {
    this.#parts.push(typeof data === 'string' ? Buffer.from(data, encoding) : Buffer.from(data))
    return this
  }
  copy(): Hash {
    const copy = new Hash(this.#algorithm, this.#key)
    copy.#parts = [...this.#parts]
    return copy
  }
  digest(encoding?: unknown): Buffer | string {
    const digest = new Buffer(hash(Buffer.concat(this.#parts).buffer, this.#algorithm, this.#key?.buffer))
    return encoding === undefined ? digest : digest.toString(encoding)
  }
}

const randomBytes = (size: unknown): Buffer => new Buffer(random(size))

export const crypto = {
  createHash: (algorithm: unknown): Hash => new Hash(algorithm),
  getHashes: (): string[] => ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'],
  createHmac: (algorithm: unknown, key: unknown): Hash => new Hash(algorithm, copyOf(key)),
  randomUUID: (): string => sync('uuid'),
  randomBytes,
  getRandomValues: <List extends ArrayBufferView>(list: List): List => {
    new Uint8Array(list.buffer, list.byteOffset, list.byteLength).set(randomBytes(list.byteLength))
    return list
  },
  timingSafeEqual: (a: unknown, b: unknown): boolean => Buffer.from(a).equals(Buffer.from(b)),
}
