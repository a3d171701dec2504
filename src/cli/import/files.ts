/** Finds the files of an import: in folders, in zip archives and on standard input. Nothing is unpacked to the disk. */
import { createReadStream, readdirSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Entry, ZipFile } from 'yauzl'
import { errorCode } from '../../errors.ts'
import { commandError, EXIT } from '../failure.ts'
import { singleLine } from '../print.ts'

/** An hourly export of ten years has 87,600 files. */
const MAX_MEMBERS = 100_000
const MAX_UNPACKED_BYTES = 1024 ** 4
/** Events compress to a tenth, repeated ones to a hundredth. Deflate packs at most 1 to 1,032. */
const MAX_RATIO = 250
/** Small files may have any ratio. */
const FREE_BYTES = 64 * 1024 * 1024
const MAX_NAME_LENGTH = 200

const EMPTY_ZIP = Buffer.from('PK\x05\x06')
const GZIP = Buffer.from([0x1f, 0x8b])
export const ZIP = Buffer.from('PK\x03\x04')
export const PARQUET = Buffer.from('PAR1')

export interface InputFile {
  /** For messages. */
  name: string
  /** The path of a Parquet file, which is not read as a stream. */
  parquet: string | null
  chunks: AsyncIterable<Buffer>
}

/** Called with the bytes that are read from the disk. */
type OnRead = (bytes: number) => void

/** Null if a path is not a file or folder, such as a pipe. */
export function totalSize(paths: readonly string[]): number | null {
  if (paths.includes('-')) return null
  const files = paths.flatMap((path) => filesIn(path)).map(({ path }) => statSync(path))
  return files.every((file) => file.isFile()) ? files.reduce((sum, { size }) => sum + size, 0) : null
}

export async function* openFiles(paths: readonly string[], onRead: OnRead): AsyncGenerator<InputFile> {
  for (const top of paths) {
    if (top === '-') yield unpacked('standard input', process.stdin, onRead)
    else for (const file of filesIn(top)) yield* openFile(file, onRead)
  }
}

async function* openFile({ path, name }: FoundFile, onRead: OnRead): AsyncGenerator<InputFile> {
  if (!statSync(path).isFile()) {
    yield unpacked(name, createReadStream(path), onRead)
    return
  }
  const head = await headOf(path)
  if (head.equals(ZIP) || head.equals(EMPTY_ZIP)) yield* membersOf(path, name, onRead)
  else if (head.equals(PARQUET)) {
    yield { name, parquet: path, chunks: Readable.from([]) }
    onRead(statSync(path).size)
  } else yield unpacked(name, createReadStream(path), onRead)
}

interface FoundFile {
  path: string
  name: string
}

/** The file itself, or the files of a folder in the order of their names. */
function filesIn(top: string): FoundFile[] {
  if (!statSync(top).isDirectory()) return [{ path: top, name: nameOf(basename(top)) }]
  const found = readdirSync(top, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => isData(relative(top, path)) && statSync(path, { throwIfNoEntry: false })?.isFile())
    .toSorted()
    .map((path) => ({ path, name: nameOf(join(basename(top), relative(top, path))) }))
  if (found.length) return found
  throw commandError(EXIT.not_found, `The folder ${top} contains no files. Check the path.`)
}

/** Hidden files, resource forks of macOS and the manifests of batch exports contain no events. */
const isData = (path: string): boolean =>
  !path.split(/[/\\]/).some((part) => part.startsWith('.') || part === '__MACOSX') && !path.endsWith('_manifest.json')

const nameOf = (path: string): string => singleLine(path.slice(0, MAX_NAME_LENGTH))

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0).finally(() => file.close())
  return buffer.subarray(0, bytesRead)
}

function unpacked(name: string, source: Readable, onRead: OnRead): InputFile {
  const budget = createBudget(name)
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      budget.packed += chunk.length
      onRead(chunk.length)
      yield chunk
    }
  }
  return { name, parquet: null, chunks: gunzipped(name, counted(), budget) }
}

/** What an archive may unpack to, with all archives in it. */
interface Budget {
  packed: number
  add(unpacked: number): void
}

function createBudget(name: string, packed = 0): Budget {
  let total = 0
  return {
    packed,
    add(unpacked) {
      total += unpacked
      if (total > MAX_UNPACKED_BYTES || total > FREE_BYTES + MAX_RATIO * this.packed)
        throw commandError(
          EXIT.refused,
          `${name} unpacks to more than ${MAX_RATIO} times its size, which events do not. Check where the file comes from.`,
        )
    },
  }
}

/** Unpacks gzip, which the first bytes show. */
async function* gunzipped(name: string, source: AsyncIterable<Buffer>, budget: Budget): AsyncGenerator<Buffer> {
  const { head, chunks } = await peek(source, GZIP.length)
  if (!head.subarray(0, 2).equals(GZIP)) return yield* chunks
  const gunzip = createGunzip()
  // The loop below throws the error.
  pipeline(Readable.from(chunks), gunzip, () => undefined)
  try {
    for await (const chunk of gunzip) {
      budget.add(chunk.length)
      yield chunk
    }
  } catch (error) {
    if (!errorCode(error)?.startsWith('Z_')) throw error
    throw commandError(
      EXIT.refused,
      `The gzip data of ${name} is corrupt or incomplete. Download the file again and repeat the import. Events that are already stored are not stored twice.`,
    )
  }
}

/** The first bytes, and all bytes including these. */
export async function peek(
  source: AsyncIterable<Buffer>,
  size: number,
): Promise<{ head: Buffer; chunks: AsyncGenerator<Buffer> }> {
  const iterator = source[Symbol.asyncIterator]()
  let head: Buffer = Buffer.alloc(0)
  while (head.length < size) {
    const next = await iterator.next()
    if (next.done) break
    head = Buffer.concat([head, next.value])
  }
  async function* all(): AsyncGenerator<Buffer> {
    try {
      yield head
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  return { head, chunks: all() }
}

/** The files of a zip archive, one after another. Their names only appear in messages. */
async function* membersOf(path: string, name: string, onRead: OnRead): AsyncGenerator<InputFile> {
  const budget = createBudget(name, statSync(path).size)
  // A bundle of ES modules has no other export of a CommonJS package.
  const { default: yauzl } = await import('yauzl')
  const options = { lazyEntries: true, autoClose: false, strictFileNames: true }
  const zip = await yauzl.openPromise(path, options).catch((error) => {
    throw brokenArchive(name, error)
  })
  let members = 0
  try {
    for await (const entry of zip.eachEntry()) {
      if (++members > MAX_MEMBERS)
        throw commandError(
          EXIT.refused,
          `${name} contains more than ${MAX_MEMBERS} files. Unpack it and import the folder.`,
        )
      if (entry.fileName.endsWith('/') || !isData(entry.fileName)) continue
      const member = nameOf(`${name}/${entry.fileName}`)
      yield { name: member, parquet: null, chunks: gunzipped(member, readMember(zip, entry, name, budget), budget) }
      onRead(entry.compressedSize)
    }
  } catch (error) {
    throw brokenArchive(name, error)
  } finally {
    zip.close()
  }
}

/** The error itself if it has a sentence already. */
function brokenArchive(name: string, error: unknown): unknown {
  if (Object(error).exit !== undefined) return error
  const reason = singleLine(String(Object(error).message)).slice(0, MAX_NAME_LENGTH)
  return commandError(
    EXIT.refused,
    `The zip archive ${name} is corrupt, encrypted or contains paths outside of itself (${reason}). Download it again, or unpack it and import the folder.`,
  )
}

async function* readMember(zip: ZipFile, entry: Entry, name: string, budget: Budget): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      budget.add(chunk.length)
      yield chunk
    }
  } catch (error) {
    throw brokenArchive(name, error)
  }
}
