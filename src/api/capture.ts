import { projectTokens, type TokensProject } from '../auth/project_tokens.ts'
import type { IdsOf } from '../contract/operations.ts'
import type { Deps } from '../deps.ts'
import { pacer } from '../events/pace.ts'
import { eventsOf, mostText, readPayload } from '../events/payload.ts'
import { createRoom } from '../events/room.ts'
import { type NewEvent, shape } from '../events/shape.ts'
import { markIngested } from '../store/projects.ts'
import type { Area, Call } from './call.ts'

/** What is unpacked and parsed at once, as text: parsed it may take fifteen times as much. */
const PARSED_BYTES = 24 * 1024 * 1024

interface Arrived {
  project: TokensProject
  events: NewEvent[]
}

export const capture = ({ db, ids, now, milliseconds, writer, background }: Deps): Area<'capture'> => {
  const projectOf = projectTokens(db, now)
  const room = createRoom(PARSED_BYTES)
  /** Projects of which it has been noted that events come. */
  const noted = new Set<number>()

  async function take(call: Call<IdsOf<'capture'>>): Promise<{ status: 1 }> {
    const arrived = milliseconds() * 1000
    writer.demandRoom()
    const { project, events } = await room.with(mostText(call.raw), (shrink) => read(call, arrived, shrink))
    await writer.add(events)

    if (!project.ingested_event && !noted.has(project.id)) {
      noted.add(project.id)
      background("noting a project's first event", () => markIngested(db, project.id))
    }
    return { status: 1 }
  }

  async function read(
    { raw, peer }: Call<IdsOf<'capture'>>,
    arrived: number,
    onText: (length: number) => void,
  ): Promise<Arrived> {
    const { token, sent_at, data } = await readPayload(raw, onText)
    const project = await projectOf(token)
    raw.admit(project.id)
    const sent = await eventsOf(data)

    const address = isHistorical(data) ? null : addressOf(peer.address)
    const arrival = { project_id: project.id, now: arrived, sent_at, address, uuid: ids.uuid }
    const breathe = pacer()
    const events: NewEvent[] = []
    for (const [i, one] of sent.entries()) {
      const event = shape(one, arrival)
      if (event) events.push(event)
      if (i % 64 === 63) await breathe()
    }
    return { project, events }
  }

  const allow = async (): Promise<{ status: 1 }> => ({ status: 1 })

  return {
    operations: {
      'capture.capture': take,
      'capture.capture_get': take,
      'capture.capture_options': allow,
      'capture.batch': take,
      'capture.batch_get': take,
      'capture.batch_options': allow,
      'capture.e': take,
      'capture.e_get': take,
      'capture.e_options': allow,
      'capture.i_v0_e': take,
      'capture.i_v0_e_get': take,
      'capture.i_v0_e_options': allow,
    },
  }
}

/** Whoever brings old events is not who made them, so their address says nothing about these. */
const isHistorical = (data: unknown): boolean =>
  (data as { historical_migration?: unknown } | null)?.historical_migration === true

/** As people write it: an IPv4 address that came over an IPv6 socket is one all the same. */
const addressOf = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, '')
