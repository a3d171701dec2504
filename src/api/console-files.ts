/** The built files of the console. Nothing is read before the first request for one of them. */
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { acceptedEncoding } from '../contract/accept.ts'

/** The build puts the files next to the program. From the sources, the last build is used. */
const BUILT = fileURLToPath(new URL('./console/', import.meta.url))
const FROM_SOURCES = fileURLToPath(new URL('../../dist/console', import.meta.url))

/** The build writes this text into the page where each response needs its own nonce. */
export const NONCE_PLACEHOLDER = 'NONCE_HERE'
const INDEX = 'index.html'

const MEDIA_TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}
/** The encodings in order of preference, and the suffix of the files with each. */
const ENCODINGS = ['br', 'gzip'] as const
const SUFFIXES = { br: '.br', gzip: '.gz' }

export interface ConsoleFile {
  media_type: string
  bytes: number
  encoding: 'br' | 'gzip' | null
  /** Whether the name contains a hash of the content. */
  immutable: boolean
  open(): Readable
}

interface Files {
  folder: string
  /** `index.html`, split at the nonces. */
  index: string[]
  /** The sizes by path relative to the folder. A file that is not listed does not exist. */
  sizes: Map<string, number>
}

let listed: Files | null = null

/** Lists the folder once. Null if the console has not been built: a later request lists it again. */
async function files(): Promise<Files | null> {
  listed ??= (await list(BUILT)) ?? (await list(FROM_SOURCES))
  return listed
}

async function list(folder: string): Promise<Files | null> {
  const names = await readdir(folder, { recursive: true }).catch((): string[] => [])
  if (!names.includes(INDEX)) return null
  const sizes = new Map<string, number>()
  for (const name of names) {
    const entry = await stat(join(folder, name))
    if (entry.isFile()) sizes.set(name, entry.size)
  }
  const index = await readFile(join(folder, INDEX), 'utf8')
  return { folder, index: index.split(NONCE_PLACEHOLDER), sizes }
}

/** The page for a nonce. Null if the console has not been built. */
export async function consoleIndex(): Promise<((nonce: string) => string) | null> {
  const found = await files()
  return found && ((nonce) => found.index.join(nonce))
}

/** The file at a URL path, compressed if the client accepts it. */
export async function consoleFile(path: string, accept_encoding: string | undefined): Promise<ConsoleFile | null> {
  const found = await files()
  const name = path.slice(1)
  const media_type = MEDIA_TYPES[extname(name)]
  if (found === null || media_type === undefined || !found.sizes.has(name)) return null
  const offered = ENCODINGS.filter((encoding) => found.sizes.has(name + SUFFIXES[encoding]))
  const encoding = acceptedEncoding(accept_encoding, offered) ?? null
  const suffix = encoding === null ? '' : SUFFIXES[encoding]
  return {
    media_type,
    encoding,
    bytes: found.sizes.get(name + suffix) ?? 0,
    immutable: name.startsWith('assets/'),
    open: () => createReadStream(join(found.folder, name + suffix)),
  }
}
