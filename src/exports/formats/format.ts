import type { Readable } from 'node:stream'
import type { components } from '../../contract/openapi.ts'
import type { Column, Page } from '../../events/extract.ts'

type FileConfig = components['schemas']['FileConfig']
export type FileFormat = NonNullable<FileConfig['file_format']>
export type Compression = NonNullable<FileConfig['compression']>

/** Pages in, one file's bytes out. */
export interface Encoder {
  write(page: Page): Promise<void>
  /** What the file has come to so far, about. */
  bytes(): number
  /** Resolves when whoever takes the bytes has them all for good. */
  close(): Promise<void>
  abort(): Promise<void>
}

export interface EncoderOptions {
  compression: Compression | null
  columns: readonly Column[]
  /** A folder for what is made on the way. */
  scratch: string
  /** Takes the file's bytes; resolves when they are where they belong. */
  take: (body: Readable) => Promise<void>
}

/** What a format can be compressed with, and what that adds to a file's name. */
export const COMPRESSIONS: Record<FileFormat, Partial<Record<Compression, string>>> = {
  JSONLines: { gzip: 'gz', brotli: 'br' },
  Parquet: { zstd: 'zst', lz4: 'lz4', snappy: 'sz', gzip: 'gz', brotli: 'br' },
}

export const EXTENSIONS: Record<FileFormat, string> = { JSONLines: 'jsonl', Parquet: 'parquet' }
