import { projectTokens, type TokensProject } from '../auth/project_tokens.ts'
import type { Answer, IdsOf } from '../contract/operations.ts'
import type { Deps } from '../deps.ts'
import { DecompressedTooLong } from '../events/lz64.ts'
import { createMemoryGate } from '../events/memory-gate.ts'
import type { NewEvent } from '../events/normalize-event.ts'
import { claimedTextLength, maxTextLength, openPayload } from '../events/payload.ts'
import { type Received, receive, type Sender } from '../events/receive.ts'
import { markIngested } from '../store/projects.ts'
import type { Area, HandlerContext, Raw } from './handler-context.ts'

/** Larger bodies go to a parser process. JSON.parse takes 30 ms for the worst JSON of this size, 2 ms for usual events. */
const SMALL_BYTES = 256 * 1024
/** The bytes of text decompressed and parsed in this process at once. Parsed, they may take fifteen times the memory. */
const PARSED_BYTES = 24 * 1024 * 1024

type CaptureCall = HandlerContext<IdsOf<'capture'>>
/** Checks a token before anything is parsed. Returns null when the events are not needed. */
type Accept = (token: string) => Promise<Sender | null>

export const capture = ({ db, ids, now, milliseconds, writer, parsers, background }: Deps): Area<'capture'> => {
  const projectOf = projectTokens(db, now)
  const room = createMemoryGate(PARSED_BYTES)
  /** Projects whose first event was noted. */
  const noted = new Set<number>()

  async function take(call: CaptureCall): Promise<Answer<'capture.capture'>> {
    const arrived = milliseconds() * 1000
    writer.requireCapacity()
    let project!: TokensProject
    const { events, refused } = await read(call, async (token) => {
      project = await admit(call.raw, token)
      return { project_id: project.id, now: arrived, address: addressOf(call.peer.address) }
    })
    await writer.add(events)

    if (!project.ingested_event && !noted.has(project.id)) {
      noted.add(project.id)
      background("noting a project's first event", () => markIngested(db, project.id))
    }
    return refused.length ? { status: 1, refused } : { status: 1 }
  }

  async function admit(raw: Raw, token: string): Promise<TokensProject> {
    const project = await projectOf(token)
    raw.admit(project.id)
    return project
  }

  async function read(call: CaptureCall, accept: Accept): Promise<Received> {
    const { raw } = call
    const small = claimedTextLength(raw) <= SMALL_BYTES ? await readSmall(raw, accept) : undefined
    if (small) return small
    if (parsers.busy) raw.demandGoodStanding()
    return parsers.read(raw, accept, { uuid: ids.uuid, signal: call.signal })
  }

  /** Undefined for a body that turns out to unpack to more. */
  const readSmall = (raw: Raw, accept: Accept): Promise<Received | undefined> =>
    room.run(Math.min(maxTextLength(raw), SMALL_BYTES), async () => {
      const opened = await openPayload(raw, SMALL_BYTES).catch((error) => {
        if (error instanceof DecompressedTooLong) return undefined
        throw error
      })
      if (!opened) return undefined
      const sender = await accept(opened.token)
      const events: NewEvent[] = []
      const each = (event: NewEvent): undefined => void events.push(event)
      const refused = sender ? await receive(raw, opened, sender, { uuid: ids.uuid, each }) : []
      return { events, refused }
    })

  /** The configuration that SDKs request at start. Without feature flags it is the same for every project and person. */
  async function configuration(call: CaptureCall): Promise<Answer<'capture.decide'>> {
    await read(call, async (token) => {
      await admit(call.raw, token)
      return null
    })
    return {
      config: { enable_collect_everything: true },
      toolbarParams: {},
      isAuthenticated: false,
      supportedCompression: ['gzip', 'gzip-js'],
      featureFlags: {},
      featureFlagPayloads: {},
      flags: {},
      errorsWhileComputingFlags: false,
      requestId: ids.uuid(),
      sessionRecording: false,
      capturePerformance: false,
      autocapture_opt_out: false,
      surveys: false,
      heatmaps: false,
      siteApps: [],
      analytics: { endpoint: '/i/v0/e/' },
    }
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
      'capture.decide': configuration,
      'capture.decide_options': allow,
      'capture.flags': configuration,
      'capture.flags_options': allow,
    },
  }
}

/** As people write it: an IPv4 address that came over an IPv6 socket is one all the same. */
const addressOf = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, '')
