import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type Answer, decode, encode, type Packet } from 'dns-packet'
import type { Test } from 'tap'

/** The response for each name: TXT records as lists of chunks, an error code, an alias, or no response. */
export type Zone = Record<
  string,
  { txt?: string[][]; code?: 'NXDOMAIN' | 'SERVFAIL' | 'REFUSED'; cname?: string; silent?: boolean }
>

const CODES = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 }

/** Starts a DNS server on loopback. Tests may change the zone while it runs. */
export async function openNameserver(t: Test, zone: Zone): Promise<string> {
  const socket = createSocket('udp4')
  socket.on('message', (message, peer) => {
    const query = decode(message)
    const question = query.questions![0]!
    const entry = zone[question.name.toLowerCase()] ?? { code: 'NXDOMAIN' as const }
    if (entry.silent) return
    const answers: Answer[] = []
    let name = question.name
    if (entry.cname) {
      answers.push({ type: 'CNAME', name, data: entry.cname, ttl: 0 })
      name = entry.cname
    }
    for (const chunks of zone[name.toLowerCase()]?.txt ?? [])
      answers.push({ type: 'TXT', name, data: chunks.map((chunk) => Buffer.from(chunk)), ttl: 0 })
    const packet: Packet = {
      type: 'response',
      id: query.id,
      flags: 0x0180 | CODES[entry.code ?? 'NOERROR'],
      questions: query.questions,
      answers,
    }
    socket.send(encode(packet), peer.port, peer.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.teardown(() => socket.close())
  return `127.0.0.1:${socket.address().port}`
}
