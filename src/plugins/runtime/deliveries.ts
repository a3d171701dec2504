/**
 * Offers stored events to the plugins that send them out. Each configuration follows the events of its project by position, in order
 * and at least once. A lease in the database decides which node serves it.
 */
import type { Logger } from 'pino'
import { type Lease, leaseFor, whileLeased } from '../../background/leases.ts'
import { createLoop } from '../../background/loop.ts'
import { createSetAside } from '../../background/set-aside.ts'
import { type FollowedEvent, follow } from '../../events/follow.ts'
import { horizon } from '../../events/positions.ts'
import type { EventReader } from '../../events/readers.ts'
import type { Ids } from '../../ids.ts'
import type { Db } from '../../sql/db.ts'
import * as failedDeliveries from '../../store/plugin_failed_deliveries.ts'
import * as store from '../../store/plugin_runtime.ts'
import * as states from '../../store/plugin_states.ts'
import { addMilliseconds } from '../../time/stored.ts'
import type { Configurations, RunningConfiguration } from './configurations.ts'
import { afterLoadError, deliver, type FailedEvent, groupOf, type OfferOptions } from './offer.ts'
import { describeFailure, replayNext, settleReplays } from './replays.ts'

export interface Deliveries {
  start(): void
  /** Looks for new events now. */
  wake(): void
  /** Notes in the logs how many of these deleted events were not offered yet. */
  noteExpired(project_id: number, positions: readonly states.Position[]): Promise<void>
  /** Delivers everything that is due now. */
  drain(): Promise<void>
  stop(): Promise<void>
}

export interface DeliveriesOptions extends OfferOptions {
  db: Db
  reader: EventReader
  configurations: Configurations
  ids: Ids
  /** Unique to this start of the process. */
  owner: string
  now: () => string
  log: Logger
}

const POLL_MS = 1_000
const RETRY_MS = 5_000
const LEASE_MS = 20_000
const RENEW_MS = 5_000
const MAX_ACTIVE = 4
const PAGE_EVENTS = 1_000
/** After this time other configurations have their turn. */
const TURN_MS = 20_000
/** After this time of a turn, new events are offered. */
const REPLAY_MS = 10_000

export function createDeliveries(options: DeliveriesOptions): Deliveries {
  const { db, now, log } = options
  const loop = createLoop({
    name: 'plugin deliveries',
    round: async () => {
      await startTurns()
      return POLL_MS
    },
    retry_ms: RETRY_MS,
    onError: (error) => log.error({ err: error }, 'looking for events for plugins failed; retrying'),
  })
  const onFailure = (error: unknown, fields: object): void => {
    if (!loop.stopped) log.error({ err: error, ...fields }, 'delivering events to a plugin failed; retrying')
  }
  const milliseconds = (): number => Date.parse(now())
  const turns = {
    active: new Map<number, Promise<void>>(),
    /** When each configuration had its last turn. */
    last: new Map<number, number>(),
    /** The range in which a configuration had no event. On SQLite, it stays the same until the next event arrives. */
    empty: new Map<number, string>(),
    /** Projects whose events cannot be read. On a cluster, their node may be down. */
    unreachable: createSetAside<number>({
      milliseconds,
      onFailure: (error, project, retry_ms) => onFailure(error, { project, retry_ms }),
    }),
    /** Configurations whose last turn failed. */
    failing: createSetAside<number>({
      milliseconds,
      onFailure: (error, plugin_config, retry_ms) => onFailure(error, { plugin_config, retry_ms }),
    }),
  }

  /** Starts a turn of every configuration with new events or replays, as far as there are slots. Returns how many were started. */
  async function startTurns(): Promise<number> {
    const rows = await store.sending(db)
    if (rows.length === 0) return 0
    const end = await horizon(options.events)
    const replays = await failedDeliveries.configsWithReplays(db)
    const waiting = rows
      .filter(({ id }) => !turns.active.has(id))
      .sort((a, b) => (turns.last.get(a.id) ?? 0) - (turns.last.get(b.id) ?? 0))
    let started = 0
    const reachable = turns.unreachable.due(waiting, ({ project_id }) => project_id)
    for (const row of turns.failing.due(reachable, ({ id }) => id)) {
      if (loop.stopped || turns.active.size >= MAX_ACTIVE) break
      if (row.retry_at !== null && row.retry_at > now()) continue
      const position = positionOf(row) ?? (await firstPosition(db, row.id, end))
      if (!position) continue
      const range = { project_id: row.project_id, after: position, before: end }
      const empty = `${position.position} ${position.seq} ${end}`
      const next =
        turns.empty.get(row.id) === empty
          ? []
          : await turns.unreachable.attempt(row.project_id, () => follow(options.reader, range, 1))
      if (next?.length === 0) turns.empty.set(row.id, empty)
      if (!next?.length && !(next && replays.has(row.id))) continue
      const claimed = await states.claim(db, row.id, leaseFrom(options))
      if (!claimed) continue
      started++
      startTurn({ row, state: claimed, end, isStopping: () => loop.stopped })
    }
    return started
  }

  function startTurn(turn: Turn): void {
    const { id } = turn.row
    turns.last.set(id, performance.now())
    const done = turns.failing
      .attempt(id, () => serve(options, turn))
      .finally(() => {
        turns.active.delete(id)
        loop.wake()
      })
    turns.active.set(id, done)
  }

  return {
    start: () => loop.start(),
    wake: loop.wake,
    noteExpired: (project_id, positions) => noteExpired(options, project_id, positions),
    drain: async () => {
      for (;;) {
        await loop.idle()
        await Promise.all(turns.active.values())
        if (loop.stopped || (await startTurns()) === 0) break
      }
      await Promise.all(turns.active.values())
    },
    stop: async () => {
      await loop.stop()
      await Promise.all(turns.active.values())
    },
  }
}

const positionOf = ({ position, seq }: store.SendingConfigRow): states.Position | undefined =>
  position === null || seq === null ? undefined : { position, seq }

/** A configuration that was enabled by an older version has no position yet. */
async function firstPosition(db: Db, id: number, end: number): Promise<states.Position | undefined> {
  await db.tx((tx) => states.enable(tx, id, end, false))
  return states.get(db, id)
}

/** A time in which one configuration is offered events. */
interface Turn {
  row: Pick<store.SendingConfigRow, 'id' | 'project_id'>
  state: states.PluginStateRow
  /** The position before which all events are stored. */
  end: number
  isStopping: () => boolean
}

const leaseFrom = ({ owner, now }: DeliveriesOptions): Lease => leaseFor(owner, now(), LEASE_MS)

async function serve(options: DeliveriesOptions, turn: Turn): Promise<void> {
  const { db, configurations, owner } = options
  const { row } = turn
  const renew = (): Promise<boolean> => states.renew(db, row.id, leaseFrom(options))
  try {
    await whileLeased({ renew, every_ms: RENEW_MS }, async ({ signal }) => {
      const settings = await store.get(db, row.id)
      // It was disabled or deleted meanwhile.
      if (!settings) return
      const configuration = await configurations.load(settings)
      if (!configuration) throw new Error('The code or the secrets of the configuration cannot be read.')
      if (await replayFailed(options, turn, configuration, signal))
        await offerEvents(options, turn, configuration, signal)
    })
  } finally {
    await states.release(db, row.id, owner).catch(() => undefined)
  }
}

/** Delivers requested replays for a part of the turn. Returns false when the turn is over. */
async function replayFailed(
  options: DeliveriesOptions,
  { row, state, isStopping }: Turn,
  configuration: RunningConfiguration,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, configurations, owner, now, recorder } = options
  const until = performance.now() + REPLAY_MS
  while (performance.now() < until) {
    const replayed = await replayNext(options, configuration, signal)
    if (!replayed) return true
    if (isStopping() || signal.aborted) return false
    if (replayed.loading) {
      const { attempts, retry_ms } = await afterLoadError(recorder, configuration, replayed.loading, state.attempts)
      const retry_at = retry_ms === null ? null : addMilliseconds(now(), retry_ms)
      await states.advance(db, row.id, owner, state, { attempts, retry_at })
      return false
    }
    // The failures have to be counted before they become successes.
    await recorder.flush()
    const isHeld = await db.tx(async (tx) => {
      if (!(await states.renew(tx, row.id, leaseFrom(options)))) return false
      await settleReplays(tx, replayed)
      return true
    })
    if (!isHeld || replayed.results.length === 0) return false
    // Settings and code may have changed, or the configuration may be off.
    if ((await configurations.get(row.id))?.version !== configuration.version) return false
  }
  return true
}

/** Offers events until there are none, until the lease is lost, or until the turn is over. */
async function offerEvents(
  options: DeliveriesOptions,
  { row, state, end, isStopping }: Turn,
  configuration: RunningConfiguration,
  signal: AbortSignal,
): Promise<void> {
  const { reader, configurations, now } = options
  const until = performance.now() + TURN_MS
  let { attempts } = state
  let done: states.Position = state
  const read = (from: states.Position): Promise<FollowedEvent[]> =>
    follow(reader, { project_id: row.project_id, after: from, before: end }, PAGE_EVENTS)
  let page = await read(done)
  while (!signal.aborted && !isStopping() && performance.now() < until) {
    const group = groupOf(page, row.id)
    if (!group) return
    const last = group.events.at(-1)
    // The next page is read while the plugin works.
    const ahead = last && page.length === group.events.length ? read(last) : undefined
    ahead?.catch(() => undefined)
    const step = await deliver(options, configuration, group, attempts, signal)
    if (isStopping()) return
    done = step.done ?? done
    attempts = step.attempts
    const retry_at = step.retry_ms === null ? null : addMilliseconds(now(), step.retry_ms)
    const isHeld = await advance(options, row.id, done, { attempts, retry_at }, step.failed)
    if (!isHeld || step.isOver) return
    // Settings and code may have changed, or the configuration may be off.
    if ((await configurations.get(row.id))?.version !== configuration.version) return
    page = ahead && step.done === last ? await ahead : await read(done)
  }
}

/** Moves the position and keeps the failed deliveries before it, both or neither. False when another node has claimed it. */
async function advance(
  { db, ids, owner, now }: DeliveriesOptions,
  id: number,
  position: states.Position,
  retry: Pick<states.PluginStateRow, 'attempts' | 'retry_at'>,
  failed: readonly FailedEvent[],
): Promise<boolean> {
  if (failed.length === 0) return states.advance(db, id, owner, position, retry)
  const failed_at = now()
  const rows = failed.map(({ event: { uuid, event }, error, ...rest }) => {
    return { ...rest, id: ids.uuid(), event_uuid: uuid, event, error: describeFailure(error), failed_at }
  })
  return db.tx(async (tx) => {
    const isHeld = await states.advance(tx, id, owner, position, retry)
    if (isHeld) await failedDeliveries.add(tx, id, rows)
    return isHeld
  })
}

async function noteExpired(
  { db, configurations, recorder }: DeliveriesOptions,
  project_id: number,
  positions: readonly states.Position[],
): Promise<void> {
  for (const row of await store.sending(db)) {
    const offered = positionOf(row)
    if (row.project_id !== project_id || !offered) continue
    const missed = positions.filter((position) => isAfter(position, offered)).length
    const configuration = missed ? await configurations.get(row.id) : undefined
    if (configuration)
      recorder.note(
        configuration,
        'WARN',
        `${missed} events were deleted by the retention of the project before they were offered.`,
      )
  }
}

const isAfter = (a: states.Position, b: states.Position): boolean =>
  a.position > b.position || (a.position === b.position && a.seq > b.seq)
