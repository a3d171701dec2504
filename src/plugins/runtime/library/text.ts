import { Buffer } from './buffer.ts'
import { decode, encode } from './host.ts'

export class TextEncoder {
  encoding = 'utf-8'
  encode(text: unknown = ''): Uint8Array {
    return new Uint8Array(encode(String(text), 'utf8'))
  }
}

export class TextDecoder {
  encoding: string
  constructor(encoding: unknown = 'utf-8') {
    this.encoding = String(encoding).toLowerCase()
  }
  decode(bytes: ArrayBuffer | ArrayBufferView<ArrayBuffer> = new Uint8Array()): string {
    const view = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes
    return decode(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength), this.encoding)
  }
}

export function btoa(text: unknown): string {
  const latin1 = String(text)
  for (let i = 0; i < latin1.length; i++)
    if (latin1.charCodeAt(i) > 255) throw new RangeError('btoa takes only characters up to U+00FF. Use Buffer.')
  return Buffer.from(latin1, 'latin1').toString('base64')
}

export const atob = (text: unknown): string => Buffer.from(String(text), 'base64').toString('latin1')
