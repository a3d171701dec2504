/** Adds, merges and rewrites the segments of a project. */
import type { ProcessPool } from '../background/process-pool.ts'
import type { Owner } from '../events/mirrors.ts'
import { horizon } from '../events/positions.ts'
import type { Database } from '../sql/db.ts'
import * as catalog from './catalog.ts'
import { positionAfter } from './events.ts'
import type { Segment, SegmentJob, SegmentReply } from './messages.ts'
import { mergeProperties, parseProperties } from './properties.ts'

export interface SegmentLimits {
  /** Fewer new events wait. Each question reads them from the database. */
  min_segment: number
  /** The events of a new segment. */
  max_segment: number
  /** How many adjacent segments of similar size are merged. */
  merged_segments: number
  /** The events of a merged segment. */
  max_merged: number
  /** Deletions that rewrite segments before the deadline. */
  max_deletions: number
}

export interface SegmentOptions {
  events: Database
  writers: ProcessPool<SegmentJob, SegmentReply>
  newName(): string
  /** Called with files that no segment has any more. */
  retire(files: readonly string[]): void
  limits: SegmentLimits
}

/** More deletions than this are removed in several turns. On SQLite, the server waits about 80 ms for this number. */
const MAX_LISTED = 20_000

/** Runs a job in a process. A failed process is not used again. */
async function runJob<Kind extends SegmentReply['kind']>(
  { writers }: SegmentOptions,
  job: SegmentJob,
  kind: Kind,
): Promise<SegmentReply & { kind: Kind }> {
  const writer = writers.take()
  try {
    await writer.send(job)
    const reply = await writer.receive()
    if (reply.kind === 'failed') throw Object.assign(new Error(reply.message), { code: reply.code })
    if (reply.kind !== kind) throw new Error(`${reply.kind} was not expected`)
    return reply as SegmentReply & { kind: Kind }
  } catch (error) {
    void writer.kill()
    throw error
  } finally {
    writers.release(writer)
  }
}

/**
 * Adds the next segment of a project if it has enough events below the horizon. Returns its end, or undefined if there are
 * too few.
 */
export async function addSegment(options: SegmentOptions, owner: Owner, from: number): Promise<number | undefined> {
  const { events, limits } = options
  const range = { project_id: owner.project_id, from }
  const hasEnough = async (below?: number): Promise<boolean> =>
    (await events.get(positionAfter({ ...range, below }, limits.min_segment - 1))) !== undefined
  // The horizon waits for the disk, so the events are counted first.
  if (!(await hasEnough())) return undefined
  const below = await horizon(events)
  if (!(await hasEnough(below))) return undefined
  const file = `${options.newName()}.parquet`
  const job = { kind: 'seal', file, ...range, below, max_events: limits.max_segment } as const
  const { to, events: count, properties } = await runJob(options, job, 'sealed')
  const segment = { from_position: from, to_position: to, file, events: count, properties: JSON.stringify(properties) }
  return (await catalog.addSegment(events, owner, segment)) ? to : undefined
}

/** Merges the first adjacent segments of similar size. Returns whether there were some. */
export async function mergeSome(options: SegmentOptions, owner: Owner): Promise<boolean> {
  const found = mergeable(await catalog.listSegments(options.events, owner), options.limits)
  if (found) await rewrite(options, owner, found)
  return found !== undefined
}

/** Adjacent segments of one size class. Merging only these rewrites each event a few times at most. */
export function mergeable(
  segments: readonly Segment[],
  { merged_segments, max_merged, min_segment }: SegmentLimits,
): Segment[] | undefined {
  const classOf = ({ events }: Segment): number =>
    Math.floor(Math.log(Math.max(1, events / min_segment)) / Math.log(merged_segments))
  for (let start = 0; start + merged_segments <= segments.length; start++) {
    const some = segments.slice(start, start + merged_segments)
    const isOneClass = new Set(some.map(classOf)).size === 1
    if (isOneClass && some.reduce((sum, { events }) => sum + events, 0) <= max_merged) return some
  }
  return undefined
}

/** Replaces segments by one without deleted events. */
async function rewrite(options: SegmentOptions, owner: Owner, old: readonly Segment[]): Promise<void> {
  const { events } = options
  const [first, last] = [old[0], old.at(-1)]
  if (!first || !last) return
  const { from_position } = first
  const { to_position } = last
  const deleted = await catalog.listDeletions(events, owner, { from_position, to_position }, MAX_LISTED)
  const properties = mergeProperties(old.flatMap((segment) => parseProperties(segment.properties) ?? []))
  const file = `${options.newName()}.parquet`
  const files = old.map((segment) => segment.file)
  const job = { kind: 'merge', file, files, properties, deleted: deleted.map(({ seq }) => seq) } as const
  const { events: count } = await runJob(options, job, 'merged')
  const merged = { from_position, to_position, file, events: count, properties: JSON.stringify(properties) }
  await catalog.replaceSegments(events, owner, old, merged, deleted)
  options.retire(files)
}

/** Rewrites one segment that has deleted events. Returns false if there is none. */
export async function eraseSome(options: SegmentOptions, owner: Owner): Promise<boolean> {
  const { events } = options
  const segments = await catalog.listSegments(events, owner)
  for (const segment of segments)
    if ((await catalog.listDeletions(events, owner, segment, 1)).length) {
      await rewrite(options, owner, [segment])
      return true
    }
  return false
}
