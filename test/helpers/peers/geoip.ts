/** A database of locations in the MaxMind format, with one network of IPv4 addresses. */

const [STRING, MAP, UINT16, UINT32, ARRAY] = [2, 7, 5, 6, 11]

/** The control bytes of a value. Types above 7 have a second byte. */
function control(type: number, size: number): Buffer {
  const length = size < 29 ? [size] : [29, size - 29]
  const [first = 0, ...rest] = length
  return type > 7 ? Buffer.from([first, type - 7, ...rest]) : Buffer.from([(type << 5) | first, ...rest])
}

function encoded(value: unknown, type = UINT32): Buffer {
  if (typeof value === 'string') return Buffer.concat([control(STRING, Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(type === UINT16 ? 2 : 4)
    bytes.writeUIntBE(value, 0, bytes.length)
    return Buffer.concat([control(type, bytes.length), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([control(ARRAY, value.length), ...value.map((item) => encoded(item))])
  const entries = Object.entries(value as object)
  return Buffer.concat([
    control(MAP, entries.length),
    ...entries.flatMap(([key, item]) => [encoded(key), encoded(item, /size|version/.test(key) ? UINT16 : UINT32)]),
  ])
}

const SEPARATOR = 16
const MARKER = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')])

/** `network`: the first octets of the addresses that have the record. */
export function geoipDatabase(network: readonly number[], record: object): Buffer {
  const bits = network.flatMap((octet) => Array.from({ length: 8 }, (_, i) => (octet >> (7 - i)) & 1))
  const count = bits.length
  // A node for each bit: one side leads to the next node, and the other one to nothing.
  const tree = Buffer.alloc(count * 6)
  for (const [i, bit] of bits.entries()) {
    const next = i === count - 1 ? count + SEPARATOR : i + 1
    tree.writeUIntBE(bit === 0 ? next : count, i * 6, 3)
    tree.writeUIntBE(bit === 1 ? next : count, i * 6 + 3, 3)
  }
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: 'Test-City',
    description: { en: 'Test' },
    ip_version: 4,
    languages: ['en'],
    node_count: count,
    record_size: 24,
  }
  return Buffer.concat([tree, Buffer.alloc(SEPARATOR), encoded(record), MARKER, encoded(metadata)])
}
