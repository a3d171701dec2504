import type { Readable } from 'node:stream'
import type { components } from '../../contract/openapi.ts'
import type { Column, Page } from '../../events/extract.ts'

type FileConfig = components['schemas']['FileConfig']
export type FileFormat = NonNullable<FileConfig['file_format']>
export type Compression = NonNullable<FileConfig['compression']>

/** Encodes pages of events into the bytes of one file. */
export interface Encoder {
  write(page: Page): Promise<void>
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
  /** Stores the bytes of the file. Resolves once they are durable. */
  sink: (body: Readable) => Promise<void>
}

/** The compressions of a format and their file extensions. */
export const COMPRESSIONS: Record<FileFormat, Partial<Record<Compression, string>>> = {
  JSONLines: { gzip: 'gz', brotli: 'br' },
  Parquet: { zstd: 'zst', lz4: 'lz4', snappy: 'sz', gzip: 'gz', brotli: 'br' },
}

export const EXTENSIONS: Record<FileFormat, string> = { JSONLines: 'jsonl', Parquet: 'parquet' }
