/**
 * Keeps the mirror of a node: writes segments of new events, merges small ones, and rewrites those with deleted events.
 * The database stays the only truth. If a file is missing, the mirror of its project begins again.
 */
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createLoop, type Loop, type LoopLog } from '../background/loop.ts'
import { createSetAside } from '../background/set-aside.ts'
import { errorCode } from '../errors.ts'
import { eachProject } from '../events/each-project.ts'
import { type Owner, resetMirror } from '../events/mirrors.ts'
import { horizon, resumePosition } from '../events/positions.ts'
import type { Mirror } from './catalog.ts'
import * as catalog from './catalog.ts'
import { positionAfter } from './events.ts'
import { type SegmentFile, UNUSABLE, Unusable } from './messages.ts'
import { parseProperties } from './properties.ts'
import { addSegment, eraseSome, mergeSome, type SegmentLimits, type SegmentOptions } from './segments.ts'

export interface KeeperLimits extends SegmentLimits {
  /** A project with fewer events is not mirrored: its questions are quick. */
  min_events: number
}

export const LIMITS: KeeperLimits = {
  min_events: 20_000,
  min_segment: 2_000,
  max_segment: 60_000,
  merged_segments: 8,
  max_merged: 1_000_000,
  max_deletions: 20_000,
  max_job_ms: 1_800_000,
}

export interface KeeperOptions extends Omit<SegmentOptions, 'retire'> {
  node: string
  folder: string
  /** Returns the next projects after an id, in the order of their ids. */
  projects(after: number): Promise<readonly number[]>
  now(): string
  /** When the files must lack a deleted event. */
  erase_hours: number
  limits: KeeperLimits
  log: LoopLog
}

const ROUND_MS = 5_000
const RETRY_MS = 30_000
const HOUR_MS = 3_600_000
/** How long a project without a mirror is not counted again. */
const RECOUNT_MS = 60_000
/** A question that has begun may still read a file that was replaced. */
const RETIRED_MS = 30_000
/** A file that no segment has for this long belongs to a process that was killed. */
const ORPHAN_MS = 600_000
const CLEAN_UP_MS = 600_000
/** Segments written for a project before the next one gets its turn. */
const SEGMENTS_PER_TURN = 4
/** The share of the deadline after which deleted events are erased. */
const ERASE_AFTER = 0.5

export function createKeeper(options: KeeperOptions): Loop {
  const { events, node, folder, projects, now, limits, log, erase_hours } = options
  const loop = createLoop({
    name: 'mirror',
    round,
    first_ms: ROUND_MS,
    retry_ms: RETRY_MS,
    onError: (error) => log.error({ err: error }, 'maintaining the mirror failed; retrying'),
  })
  const reachable = createSetAside<number>({
    onFailure: (error, project) => log.error({ err: error, project }, 'mirroring a project failed; retrying'),
  })
  const counted_at = new Map<number, number>()
  const retired = new Map<string, number>()
  /** Files whose properties can be read. */
  const checked = new Set<string>()
  let cleaned_at = 0

  const milliseconds = (): number => Date.parse(now())
  const segments: SegmentOptions = {
    ...options,
    retire: (files) => {
      for (const file of files) retired.set(file, milliseconds())
    },
  }

  async function round(): Promise<number> {
    await removeRetired()
    // An operator may have deleted it.
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if (Math.abs(milliseconds() - cleaned_at) >= CLEAN_UP_MS) {
      cleaned_at = milliseconds()
      await cleanUp()
    }
    const files = new Set(await readdir(folder))
    const mirrors = new Map((await catalog.listMirrors(events, node)).map((mirror) => [mirror.project_id, mirror]))
    let isBehind = false
    await eachProject(projects, loop, reachable, async (project_id) => {
      isBehind = (await keep({ project_id, node }, mirrors.get(project_id), files)) || isBehind
    })
    return isBehind ? 0 : ROUND_MS
  }

  /** Returns whether there is more to do. */
  async function keep(owner: Owner, mirror: Mirror | undefined, files: ReadonlySet<string>): Promise<boolean> {
    if (!mirror) return begin(owner)
    if (!(await isReady(owner, mirror))) return false
    const known = await catalog.listSegments(events, owner)
    // Another process may have added a file since the folder was read.
    const isMissing = ({ file }: SegmentFile): boolean => !files.has(file) && !existsSync(join(folder, file))
    try {
      if (known.some(isMissing)) throw new Unusable('A file is missing.')
      await checkProperties(owner, known)
      const erased = await erase(owner, mirror)
      const added = await addSegments(owner, mirror)
      return (await mergeSome(segments, owner)) || added || erased
    } catch (error) {
      if (errorCode(error) !== UNUSABLE) throw error
      return beginAgain(owner, error)
    }
  }

  /** Checks the properties of new files. Those of hundreds of files take a second. */
  async function checkProperties(owner: Owner, known: readonly SegmentFile[]): Promise<void> {
    const added = known.filter(({ file }) => !checked.has(file))
    if (added.length === 0) return
    const texts = await catalog.listProperties(events, owner, added)
    if (!texts.every((text) => parseProperties(text)))
      throw new Unusable('The catalog has properties that cannot be read.')
    for (const { file } of added) checked.add(file)
  }

  async function beginAgain(owner: Owner, error: unknown): Promise<true> {
    const { project_id } = owner
    log.error({ err: error, project: project_id }, 'the mirror of a project is not usable; it begins again')
    const known = await catalog.listSegments(events, owner)
    await resetMirror(events, owner)
    segments.retire(known.map(({ file }) => file))
    return true
  }

  /** Begins to mirror a project if it is large. */
  async function begin(owner: Owner): Promise<boolean> {
    const time = milliseconds()
    if (Math.abs(time - (counted_at.get(owner.project_id) ?? 0)) < RECOUNT_MS) return false
    counted_at.set(owner.project_id, time)
    const isLarge = await events.get(positionAfter({ project_id: owner.project_id, from: 0 }, limits.min_events - 1))
    if (isLarge) await catalog.createMirror(events, owner, now())
    return isLarge !== undefined
  }

  /** Waits until no transaction runs that may have deleted events without recording them. */
  async function isReady(owner: Owner, mirror: Mirror): Promise<boolean> {
    if (mirror.mirrored_to > 0) return true
    if (mirror.ready_position !== null) return mirror.ready_position <= (await horizon(events))
    // After the commit of the row: later deletions find it.
    const ready_position = await resumePosition(events, 'events')
    await catalog.updateMirror(events, owner, { ...mirror, ready_position })
    return ready_position <= (await horizon(events))
  }

  /** Returns whether the project may have more events for a segment. */
  async function addSegments(owner: Owner, { mirrored_to }: Mirror): Promise<boolean> {
    let from: number | undefined = mirrored_to
    for (let i = 0; i < SEGMENTS_PER_TURN && from !== undefined && !loop.stopped; i++)
      from = await addSegment(segments, owner, from)
    return from !== undefined
  }

  /** Rewrites segments with deleted events in time, or when there are many. Returns whether there may be more. */
  async function erase(owner: Owner, mirror: Mirror): Promise<boolean> {
    const all = { from_position: 0, to_position: mirror.mirrored_to }
    const since = (await catalog.hasDeletions(events, owner, all)) ? (mirror.deletions_since ?? now()) : null
    if (since !== mirror.deletions_since)
      await catalog.updateMirror(events, owner, { ...mirror, deletions_since: since })
    if (since === null) return false
    // The clock may have been set back.
    const hours = Math.abs(milliseconds() - Date.parse(since)) / HOUR_MS
    const isDue = hours >= erase_hours * ERASE_AFTER
    if (!isDue && !(await catalog.hasDeletions(events, owner, all, limits.max_deletions))) return false
    try {
      for (let i = 0; i < SEGMENTS_PER_TURN && !loop.stopped; i++)
        if (!(await eraseSome(segments, owner)))
          return (await catalog.removeLeftDeletions(events, owner, limits.max_deletions)) === limits.max_deletions
      return true
    } catch (error) {
      if (hours < erase_hours || loop.stopped) throw error
      throw new Unusable('Deleted events could not be erased from the files in time.', { cause: error })
    }
  }

  async function removeRetired(): Promise<void> {
    for (const [file, time] of retired) {
      if (Math.abs(milliseconds() - time) < RETIRED_MS) continue
      await rm(join(folder, file), { force: true })
      retired.delete(file)
    }
  }

  async function cleanUp(): Promise<void> {
    await catalog.touchMirrors(events, node, now())
    const known = new Set(await catalog.listFiles(events, node))
    for (const file of checked) if (!known.has(file)) checked.delete(file)
    for (const name of await readdir(folder)) {
      if (known.has(name) || retired.has(name) || !/\.parquet(\.unfinished)?$/.test(name)) continue
      const found = await stat(join(folder, name)).catch(() => undefined)
      if (found && Math.abs(milliseconds() - found.mtimeMs) >= ORPHAN_MS) await rm(join(folder, name), { force: true })
    }
  }

  return loop
}
