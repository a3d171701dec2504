/** Files out of a zip or a tar.gz, in memory: nothing is written anywhere, and nothing is trusted to be small. */
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Entry, ZipFile } from 'yauzl'
import { AppError } from '../errors.ts'
import { invalidUrl } from './url.ts'

export const MAX_ARCHIVE_BYTES = 16 * 1024 * 1024
/** Of all files together, those that are not kept included. */
export const MAX_UNPACKED_BYTES = 64 * 1024 * 1024
export const MAX_FILES = 5000
/** Of one that is kept: as much as the editor of a source could send. */
const MAX_FILE_BYTES = 1024 * 1024

type Choose = (path: string) => boolean

/** The files that `choose` wants. Throws a refusal for what is no archive, is broken, too much, or leads outside. */
export async function unpack(bytes: Buffer, choose: Choose): Promise<Map<string, Buffer>> {
  try {
    if (bytes.readUInt32BE(0) === 0x504b0304) return await unzip(bytes, choose)
    if (bytes.readUInt16BE(0) === 0x1f8b) return await untar(bytes, choose)
  } catch (error) {
    if (error instanceof AppError) throw error
    throw invalidUrl('The archive is broken, or names files outside of itself. Publish it anew.')
  }
  throw invalidUrl('What was found is neither a zip nor a tar.gz archive. Check what the URL names.')
}

/** Counts what an archive holds, and stops it at the limits. */
class Tally {
  files = 0
  bytes = 0
  add(path: string, size: number): void {
    if (isOutside(path)) throw invalidUrl(`The archive names files outside of itself. Publish it anew.`)
    this.files++
    this.bytes += size
    if (this.files > MAX_FILES) throw invalidUrl(`The archive holds more than ${MAX_FILES} files. Publish fewer.`)
    if (this.bytes > MAX_UNPACKED_BYTES)
      throw invalidUrl(`The archive unpacks to more than ${MAX_UNPACKED_BYTES} bytes. Publish less.`)
  }
}

const isOutside = (path: string): boolean =>
  /^\/|^[A-Za-z]:|[\\\0]/.test(path) || path.split('/').some((part) => part === '..')

export const requireFileSize = (path: string, size: number): void => {
  if (size > MAX_FILE_BYTES)
    throw invalidUrl(`"${nameOf(path)}" is larger than ${MAX_FILE_BYTES} bytes. Publish a smaller one.`)
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

async function unzip(bytes: Buffer, choose: Choose): Promise<Map<string, Buffer>> {
  const { fromBuffer } = await import('yauzl')
  const zip = await new Promise<ZipFile>((resolve, reject) =>
    fromBuffer(bytes, { lazyEntries: true, strictFileNames: true }, (error, file) =>
      error ? reject(error) : resolve(file!),
    ),
  )
  const found = new Map<string, Buffer>()
  const tally = new Tally()
  await new Promise<void>((resolve, reject) => {
    zip.on('error', reject)
    zip.on('end', resolve)
    zip.on('entry', (entry: Entry) => {
      take(entry).then(() => zip.readEntry(), reject)
    })
    zip.readEntry()
  })
  return found

  async function take(entry: Entry): Promise<void> {
    const { fileName: path, uncompressedSize } = entry
    tally.add(path, uncompressedSize)
    if (path.endsWith('/') || !choose(path)) return
    requireFileSize(path, uncompressedSize)
    const stream = await new Promise<Readable>((resolve, reject) =>
      zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened!))),
    )
    // The reader ends a file that turns out longer than it says.
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk)
    found.set(path, Buffer.concat(chunks))
  }
}

async function untar(bytes: Buffer, choose: Choose): Promise<Map<string, Buffer>> {
  const { extract } = await import('tar-stream')
  const found = new Map<string, Buffer>()
  const tally = new Tally()
  const tar = extract()
  let unpacked = 0
  // Headers, too, are unpacked bytes, and some of them the reader keeps in memory.
  const bounded = new Transform({
    transform: (chunk: Buffer, _, done) => {
      unpacked += chunk.length
      if (unpacked > 2 * MAX_UNPACKED_BYTES)
        done(invalidUrl(`The archive unpacks to more than ${MAX_UNPACKED_BYTES} bytes. Publish less.`))
      else done(null, chunk)
    },
  })
  const fed = pipeline(Readable.from([bytes]), createGunzip(), bounded, tar)
  // What ends the one ends the other; the loop below hears of it.
  fed.catch(() => undefined)
  for await (const entry of tar) {
    const { name, size = 0, type } = entry.header
    const path = name.replace(/^(\.\/)+/, '')
    tally.add(path, size)
    const wanted = type === 'file' && choose(path)
    if (wanted) requireFileSize(path, size)
    const chunks: Buffer[] = []
    for await (const chunk of entry as AsyncIterable<Buffer>) if (wanted) chunks.push(chunk)
    if (wanted) found.set(path, Buffer.concat(chunks))
  }
  await fed
  return found
}
