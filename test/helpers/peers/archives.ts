import { buffer } from 'node:stream/consumers'
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'

export type Files = Record<string, string | Buffer>

/** Creates a zip archive. `claim` is a false uncompressed size. */
export function zipOf(files: Files, { claim }: { claim?: number } = {}): Buffer {
  const local: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(files)) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes)
    const path = Buffer.from(name)
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(20, 0)
    shared.writeUInt16LE(0x0800, 2)
    shared.writeUInt16LE(8, 4)
    shared.writeUInt32LE(crc32(bytes), 10)
    shared.writeUInt32LE(packed.length, 14)
    shared.writeUInt32LE(claim ?? bytes.length, 18)
    shared.writeUInt16LE(path.length, 22)
    const entry = Buffer.concat([Buffer.from('PK\x03\x04'), shared, path, packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), shared, place, path]))
    local.push(entry)
    offset += entry.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06')
  end.writeUInt16LE(local.length, 8)
  end.writeUInt16LE(local.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...local, directory, end])
}

/** Creates a tar.gz archive. A name that ends in `@` is a symbolic link to its content. */
export async function tarOf(files: Files): Promise<Buffer> {
  const tar = pack()
  for (const [name, content] of Object.entries(files)) {
    if (name.endsWith('@')) tar.entry({ name: name.slice(0, -1), type: 'symlink', linkname: String(content) })
    else tar.entry({ name }, content as string)
  }
  tar.finalize()
  return gzipSync(await buffer(tar))
}

export const within = (folder: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]))
