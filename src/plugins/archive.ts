/** Unpacks zip and tar.gz archives in memory, within limits. */
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Entry, ZipFile } from 'yauzl'
import { AppError } from '../errors.ts'
import { invalidUrl } from './url.ts'

export const MAX_ARCHIVE_BYTES = 16 * 1024 * 1024
/** The total size of all files, including those that are skipped. */
export const MAX_UNPACKED_BYTES = 64 * 1024 * 1024
export const MAX_FILES = 5000
/** The limit of a file in a request body is the same. */
const MAX_FILE_BYTES = 1024 * 1024

type PathFilter = (path: string) => boolean

/** Returns the files that match the filter. Throws for invalid or too large archives and for paths outside the archive. */
export async function unpack(bytes: Buffer, matches: PathFilter): Promise<Map<string, Buffer>> {
  try {
    if (bytes.readUInt32BE(0) === 0x504b0304) return await unzip(bytes, matches)
    if (bytes.readUInt16BE(0) === 0x1f8b) return await untar(bytes, matches)
  } catch (error) {
    if (error instanceof AppError) throw error
    throw invalidUrl('The archive is corrupt or contains paths outside of itself. Publish it again.')
  }
  throw invalidUrl('The URL leads to a file that is neither a zip nor a tar.gz archive. Check the URL.')
}

/** Counts the files and bytes of an archive and throws at the limits. */
class ArchiveLimits {
  files = 0
  bytes = 0
  add(path: string, size: number): void {
    if (isOutside(path)) throw invalidUrl('The archive contains paths outside of itself. Publish it again.')
    this.files++
    this.bytes += size
    if (this.files > MAX_FILES)
      throw invalidUrl(`The archive contains more than ${MAX_FILES} files. Remove some of them.`)
    if (this.bytes > MAX_UNPACKED_BYTES)
      throw invalidUrl(`The archive unpacks to more than ${MAX_UNPACKED_BYTES} bytes. Make it smaller.`)
  }
}

export const isOutside = (path: string): boolean =>
  /^\/|^[A-Za-z]:|[\\\0]/.test(path) || path.split('/').some((part) => part === '..')

export const requireFileSize = (path: string, size: number): void => {
  if (size > MAX_FILE_BYTES)
    throw invalidUrl(`"${nameOf(path)}" is larger than ${MAX_FILE_BYTES} bytes. Make it smaller.`)
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

async function unzip(bytes: Buffer, matches: PathFilter): Promise<Map<string, Buffer>> {
  const { fromBuffer } = await import('yauzl')
  const zip = await new Promise<ZipFile>((resolve, reject) =>
    fromBuffer(bytes, { lazyEntries: true, strictFileNames: true }, (error, file) =>
      file ? resolve(file) : reject(error),
    ),
  )
  const found = new Map<string, Buffer>()
  const limits = new ArchiveLimits()
  await new Promise<void>((resolve, reject) => {
    zip.on('error', reject)
    zip.on('end', resolve)
    zip.on('entry', (entry: Entry) => {
      read(entry).then(() => zip.readEntry(), reject)
    })
    zip.readEntry()
  })
  return found

  async function read(entry: Entry): Promise<void> {
    const { fileName: path, uncompressedSize } = entry
    limits.add(path, uncompressedSize)
    if (path.endsWith('/') || !matches(path)) return
    requireFileSize(path, uncompressedSize)
    const stream = await new Promise<Readable>((resolve, reject) =>
      zip.openReadStream(entry, (error, opened) => (opened ? resolve(opened) : reject(error))),
    )
    // yauzl fails when a file is longer than its header says.
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk)
    found.set(path, Buffer.concat(chunks))
  }
}

async function untar(bytes: Buffer, matches: PathFilter): Promise<Map<string, Buffer>> {
  const { extract } = await import('tar-stream')
  const found = new Map<string, Buffer>()
  const limits = new ArchiveLimits()
  const tar = extract()
  let unpacked = 0
  // Headers count too, because tar-stream keeps some of them in memory.
  const bounded = new Transform({
    transform: (chunk: Buffer, _, done) => {
      unpacked += chunk.length
      if (unpacked > 2 * MAX_UNPACKED_BYTES)
        done(invalidUrl(`The archive unpacks to more than ${MAX_UNPACKED_BYTES} bytes. Make it smaller.`))
      else done(null, chunk)
    },
  })
  const piped = pipeline(Readable.from([bytes]), createGunzip(), bounded, tar)
  // A failure also ends the loop below, which throws it.
  piped.catch(() => undefined)
  for await (const entry of tar) {
    const { name, size = 0, type } = entry.header
    const path = name.replace(/^(\.\/)+/, '')
    limits.add(path, size)
    const wanted = type === 'file' && matches(path)
    if (wanted) requireFileSize(path, size)
    const chunks: Buffer[] = []
    for await (const chunk of entry as AsyncIterable<Buffer>) if (wanted) chunks.push(chunk)
    if (wanted) found.set(path, Buffer.concat(chunks))
  }
  await piped
  return found
}
