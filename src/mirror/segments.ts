/** Adds, merges and rewrites the segments of a project. */
import type { ProcessPool } from '../background/process-pool.ts'
import type { Owner } from '../events/mirrors.ts'
import { horizon } from '../events/positions.ts'
import type { Database } from '../sql/db.ts'
import * as catalog from './catalog.ts'
import { positionAfter } from './events.ts'
import { type SegmentFile, type SegmentJob, type SegmentReply, Unusable } from './messages.ts'
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
  /** The longest time to write a file. A connection that is lost may never say so. */
  max_job_ms: number
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
  { writers, limits }: SegmentOptions,
  job: SegmentJob,
  kind: Kind,
): Promise<SegmentReply & { kind: Kind }> {
  const writer = writers.take()
  const timer = setTimeout(() => void writer.kill(), limits.max_job_ms)
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
    clearTimeout(timer)
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

/**
 * Adjacent segments whose sum is in a higher size class than each of them. So each event is rewritten once per class at most.
 * There are at least `merged_segments`, or as many as `max_merged` allows.
 */
export function mergeable<Part extends Pick<SegmentFile, 'events'>>(
  segments: readonly Part[],
  { merged_segments, max_merged, min_segment }: SegmentLimits,
): Part[] | undefined {
  const classOf = (events: number): number => Math.floor(Math.log(events / min_segment) / Math.log(merged_segments))
  const classes = segments.map(({ events }) => classOf(events))
  for (const start of segments.keys()) {
    let sum = 0
    let highest = Number.NEGATIVE_INFINITY
    for (let end = start; end < segments.length; end++) {
      sum += segments[end]?.events ?? 0
      highest = Math.max(highest, classes[end] ?? 0)
      const next = segments[end + 1]?.events ?? 0
      const isFull = sum + next > max_merged
      const isEnough = end + 1 - start >= merged_segments || (isFull && end > start)
      if (isEnough && classOf(sum) > highest) return segments.slice(start, end + 1)
      if (isFull) break
    }
  }
  return undefined
}

/** Replaces segments by one without deleted events. */
async function rewrite(options: SegmentOptions, owner: Owner, old: readonly SegmentFile[]): Promise<void> {
  const { events } = options
  const [first, last] = [old[0], old.at(-1)]
  if (!first || !last) return
  const { from_position } = first
  const { to_position } = last
  const deleted = await catalog.listDeletions(events, owner, { from_position, to_position }, MAX_LISTED)
  const texts = await catalog.listProperties(events, owner, old)
  if (texts.length < old.length) throw new Error('Another process has replaced a segment.')
  const parts = texts.flatMap((text) => parseProperties(text) ?? [])
  if (parts.length < old.length) throw new Unusable('The catalog has properties that cannot be read.')
  const properties = mergeProperties(parts)
  const file = `${options.newName()}.parquet`
  const files = old.map((segment) => segment.file)
  const range = { project_id: owner.project_id, from: from_position, below: to_position }
  const seqs = deleted.map(({ seq }) => seq)
  const job = { kind: 'merge', file, ...range, files, properties, deleted: seqs } as const
  const reply = await runJob(options, job, 'merged')
  const merged = {
    from_position,
    to_position,
    file,
    events: reply.events,
    properties: JSON.stringify(reply.properties),
  }
  await catalog.replaceSegments(events, owner, old, merged, deleted)
  options.retire(files)
}

/** Rewrites one segment that has deleted events. Returns false if there is none. */
export async function eraseSome(options: SegmentOptions, owner: Owner): Promise<boolean> {
  const { events } = options
  const segments = await catalog.listSegments(events, owner)
  for (const segment of segments)
    if (await catalog.hasDeletions(events, owner, segment)) {
      await rewrite(options, owner, [segment])
      return true
    }
  return false
}
