import type { Readable } from 'node:stream'
import type { components } from '../../contract/openapi.ts'
import type { Page } from '../../events/extract.ts'
import type { Column } from '../../events/lines.ts'

type FileConfig = components['schemas']['FileConfig']
export type FileFormat = NonNullable<FileConfig['file_format']>
export type Compression = NonNullable<FileConfig['compression']>

/** Encodes pages of events into the bytes of one file. */
export interface Encoder {
  /** Returns the bytes of text that were added: whole lines, fewer than all if the file is full. May free a text added whole. */
  write(page: Pick<Page, 'text'>): Promise<number>
  /** The approximate size of the file so far. */
  bytes(): number
  /** Resolves once the sink has stored all bytes. */
  close(): Promise<void>
  abort(): Promise<void>
}

export interface EncoderOptions {
  compression: Compression | null
  columns: readonly Column[]
  /** A scratch folder. */
  scratch: string
  /**
   * Stores the bytes of the file. Resolves once they are durable. A file that turns out too large is stored as several;
   * `part` describes each of them but the last.
   */
  sink: (body: Readable, part?: FilePart) => Promise<void>
  /** The maximum size of the file. A single row may be larger. By default, there is none. */
  max_bytes?: number | undefined
  /** Bytes per byte of text in the file before. */
  ratio?: number | undefined
}

export interface FilePart {
  records: number
  bytes: number
}

const LINE_BREAK = 0x0a

/** The end of the last line that ends within `length` bytes of `from`, or `from`. `always`: take at least one line. */
export function endOfLines(text: Buffer, from: number, length: number, always: boolean): number {
  if (text.length - from <= length) return text.length
  const last = length < 1 ? -1 : text.lastIndexOf(LINE_BREAK, from + Math.floor(length) - 1)
  if (last >= from) return last + 1
  return always ? text.indexOf(LINE_BREAK, from) + 1 : from
}

/** The compressions of a format and their file extensions. */
export const COMPRESSIONS: Record<FileFormat, Partial<Record<Compression, string>>> = {
  JSONLines: { gzip: 'gz', brotli: 'br' },
  Parquet: { zstd: 'zst', lz4: 'lz4', snappy: 'sz', gzip: 'gz', brotli: 'br' },
}

export const EXTENSIONS: Record<FileFormat, string> = { JSONLines: 'jsonl', Parquet: 'parquet' }
