import { projectTokens, type TokensProject } from '../auth/project_tokens.ts'
import type { IdsOf, ResponseBody } from '../contract/operations.ts'
import type { Deps } from '../deps.ts'
import { DecompressedTooLong } from '../events/lz64.ts'
import { createMemoryGate } from '../events/memory-gate.ts'
import type { NewEvent } from '../events/normalize-event.ts'
import { isSmall, maxTextLength, openPayload, type PayloadLimits, requireToken } from '../events/payload.ts'
import { type Received, receive, type Sender } from '../events/receive.ts'
import type { Transformation } from '../plugins/runtime/transform.ts'
import * as siteApps from '../plugins/site-apps.ts'
import { markIngested } from '../store/projects.ts'
import { type Area, type HandlerContext, type Raw, RawResponse } from './handler-context.ts'

/**
 * Larger bodies, and bodies with more values, go to a parser process. That costs a third more CPU time in total, so usual batches
 * stay below. The longest turn of the event loop for a body at one of these limits, and the whole request, in milliseconds of
 * the main thread's CPU time on a cloud machine with SQLite:
 *
 * | body | turn | request |
 * |---|---|---|
 * | 850 ordinary events | 8 | 50 |
 * | 2,500 properties; the same with NUL characters in their names | 5; 8 | 12; 11 |
 * | 2,500 attributes of an element | 6 | 10 |
 * | 2,500 person properties | 5 | 12 |
 * | five events with 2,400 person properties each | 13 | 35 |
 * | 12,000 values that are not events | 5 | 10 |
 * | a form of 256 KiB of percent signs | 13 | 16 |
 *
 * In this process, 21,000 properties of one event would take 60 ms, and 20,000 person properties 90 ms.
 */
const SMALL_BYTES = 256 * 1024
const SMALL: PayloadLimits = { limit_bytes: SMALL_BYTES, max_values: 12_000, max_event_values: 2_500 }
/** The bytes of text decompressed and parsed in this process at the same time. Parsed, they may take fifteen times the memory. */
const PARSED_BYTES = 24 * 1024 * 1024

const FOREVER = 'public, max-age=31536000, immutable'

type CaptureCall = HandlerContext<IdsOf<'capture'>>
type Configuration = ResponseBody<'capture.decide'>
/** Checks a token before the body is parsed. Returns null when the events are not needed. */
type Accept = (token: string) => Promise<Sender | null>

export const capture = ({
  db,
  ids,
  now,
  milliseconds,
  writer,
  parsers,
  background,
  metrics,
  plugins,
}: Deps): Area<'capture'> => {
  const projectOf = projectTokens(db, now)
  const memoryGate = createMemoryGate(PARSED_BYTES)
  /** Projects that are marked as having events. */
  const marked = new Set<number>()

  async function ingest(call: CaptureCall): Promise<ResponseBody<'capture.capture'>> {
    const arrived = milliseconds() * 1000
    writer.requireCapacity()
    let project: TokensProject | undefined
    let transform: Transformation | undefined
    const { events, refused } = await read(call, async (token) => {
      project = await admit(call.raw, token)
      writer.requireCapacity(project.id)
      transform = await plugins.transformer.of(project.id)
      return {
        project_id: project.id,
        now: arrived,
        address: addressOf(call.peer.address),
        keepsSent: transform !== undefined,
      }
    })
    await writer.add(transform ? (await transform(events)).changed : events)
    if (refused.length) metrics.refused('events', 'event_too_large', refused.length)

    if (project && !project.ingested_event && !marked.has(project.id)) {
      const { id } = project
      marked.add(id)
      background("marking a project's first event", () =>
        markIngested(db, id).catch((error) => {
          // The next event tries again.
          marked.delete(id)
          throw error
        }),
      )
    }
    return refused.length ? { status: 1, refused } : { status: 1 }
  }

  async function admit(raw: Raw, token: string): Promise<TokensProject> {
    const project = await projectOf(token)
    raw.countCapture(project.id)
    return project
  }

  async function read(call: CaptureCall, accept: Accept): Promise<Received> {
    const { raw } = call
    const small = isSmall(raw, SMALL_BYTES) ? await readSmall(raw, accept) : undefined
    if (small) return small
    if (parsers.busy) raw.checkCaptureAddress()
    return parsers.read(raw, accept, { uuid: ids.uuid, signal: call.signal })
  }

  /** Undefined when the body turns out to be larger than a small one. */
  const readSmall = (raw: Raw, accept: Accept): Promise<Received | undefined> =>
    memoryGate.run(Math.min(maxTextLength(raw), SMALL_BYTES), async () => {
      const opened = await openPayload(raw, SMALL).catch((error) => {
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

  async function decide(call: CaptureCall): Promise<Configuration> {
    let project: TokensProject | undefined
    await read(call, async (token) => {
      project = await admit(call.raw, token)
      return null
    })
    return configuration(project)
  }

  async function arrayConfig({ params, raw }: HandlerContext<'capture.array_config'>): Promise<Configuration> {
    requireToken(params.token)
    return configuration(await admit(raw, params.token))
  }

  /** The configuration that SDKs request at start. Without feature flags it is the same for every person. */
  async function configuration(project: TokensProject | undefined): Promise<Configuration> {
    return {
      config: { enable_collect_everything: true },
      toolbarParams: {},
      isAuthenticated: false,
      supportedCompression: ['gzip', 'gzip-js'],
      featureFlags: {},
      featureFlagPayloads: {},
      flags: {},
      errorsWhileComputingFlags: false,
      hasFeatureFlags: false,
      requestId: ids.uuid(),
      sessionRecording: false,
      capturePerformance: false,
      autocapture_opt_out: false,
      surveys: false,
      heatmaps: false,
      siteApps: project ? await siteApps.list(db, project.id) : [],
      analytics: { endpoint: '/i/v0/e/' },
    }
  }

  async function siteApp({ params, raw }: HandlerContext<'capture.site_app'>): Promise<RawResponse> {
    const { project_id, text, isCurrent } = await siteApps.script(db, params)
    raw.countCapture(project_id)
    return new RawResponse('application/javascript', text, {
      // The same for every origin, because caches are shared by pages.
      'access-control-allow-origin': '*',
      ...(isCurrent && { 'cache-control': FOREVER }),
    })
  }

  const allow = async (): Promise<{ status: 1 }> => ({ status: 1 })

  return {
    operations: {
      'capture.capture': ingest,
      'capture.capture_get': ingest,
      'capture.capture_options': allow,
      'capture.batch': ingest,
      'capture.batch_get': ingest,
      'capture.batch_options': allow,
      'capture.e': ingest,
      'capture.e_get': ingest,
      'capture.e_options': allow,
      'capture.i_v0_e': ingest,
      'capture.i_v0_e_get': ingest,
      'capture.i_v0_e_options': allow,
      'capture.decide': decide,
      'capture.decide_options': allow,
      'capture.flags': decide,
      'capture.flags_options': allow,
      'capture.array_config': arrayConfig,
      'capture.site_app': siteApp,
    },
  }
}

/** Removes the prefix of an IPv4 address that arrived over an IPv6 socket. */
const addressOf = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, '')
