/** Keeps the logs, the counts and the failures of plugins. Switches off a configuration that keeps failing. */
import type { Logger } from 'pino'
import type { Ids } from '../../ids.ts'
import * as outbox from '../../mail/outbox.ts'
import type { Db } from '../../sql/db.ts'
import { administrators } from '../../store/members.ts'
import * as logs from '../../store/plugin_logs.ts'
import * as metrics from '../../store/plugin_metrics.ts'
import * as states from '../../store/plugin_states.ts'
import { addMilliseconds } from '../../time/stored.ts'
import { changeWithin } from '../service.ts'
import { switchOff as switchOffWithin } from '../switch-off.ts'
import type { RunningConfiguration } from './configurations.ts'
import {
  addCounts,
  addEntries,
  type Batch,
  type LineCount,
  linesOf,
  newPending,
  type Pending,
} from './recorder-batch.ts'

export interface Recorder {
  /** Writes soon: every request of ingestion has results. */
  record(configuration: RunningConfiguration, batch: Batch): void
  /** A line of the server in the log of the configuration. */
  note(configuration: RunningConfiguration, level: logs.LogLevel, message: string): void
  switchOff(configuration: RunningConfiguration, reason: string): Promise<void>
  /** Writes everything that was recorded. Never throws. */
  flush(): Promise<void>
}

export interface RecorderOptions {
  db: Db
  ids: Ids
  now: () => string
  log: Logger
  /** Null when email is not configured. */
  wakeMailer: (() => void) | null
}

const MAX_FAILURES_IN_A_ROW = 50
const MAX_TIMEOUTS_PER_HOUR = 10
const HOUR_MS = 3_600_000
const FLUSH_MS = 1_000

export function createRecorder({ db, ids, now, log, wakeMailer }: RecorderOptions): Recorder {
  const written = new Map<number, LineCount>()
  let pending = new Map<number, Pending>()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()

  function pendingOf(configuration: RunningConfiguration): Pending {
    let found = pending.get(configuration.id)
    if (!found) {
      found = newPending(configuration)
      pending.set(configuration.id, found)
    }
    timer ??= setTimeout(() => void flush(), FLUSH_MS).unref()
    return found
  }

  function addLines(own: Pending, lines: Parameters<typeof addEntries>[1]): void {
    const { id } = own.configuration
    written.set(id, addEntries(own, lines, now(), written.get(id)))
  }

  function record(configuration: RunningConfiguration, batch: Batch): void {
    const own = pendingOf(configuration)
    addLines(own, linesOf(own, batch))
    addCounts(own, batch, now())
  }

  async function write({ configuration, entries, counts, values, results }: Pending): Promise<void> {
    const { id, plugin_id, project_id } = configuration
    if (entries.length)
      await logs.write(
        db,
        id,
        entries.map((entry) => ({ ...entry, plugin_id, project_id })),
      )
    for (const row of counts.values()) await metrics.add(db, row)
    for (const row of values.values()) await metrics.addValue(db, row)
    if (!results) return
    const hour_ago = addMilliseconds(now(), -HOUR_MS)
    const state = await states.recordCalls(db, id, results, { now: now(), hour_ago })
    if (!state) return
    if (state.failures >= MAX_FAILURES_IN_A_ROW)
      await switchOff(configuration, `${state.failures} calls failed in a row.`)
    else if (state.timeouts >= MAX_TIMEOUTS_PER_HOUR)
      await switchOff(configuration, `${state.timeouts} calls within an hour exceeded their time or memory.`)
  }

  /** Waits for a running flush. */
  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const batch = pending
    pending = new Map()
    flushing = flushing.then(async () => {
      for (const own of batch.values())
        await write(own).catch((error) =>
          log.error({ err: error, plugin_config: own.configuration.id }, 'recording the calls of a plugin failed'),
        )
    })
    return flushing
  }

  async function switchOff(configuration: RunningConfiguration, reason: string): Promise<void> {
    const { name, organization_id, project_id } = configuration
    const isChanged = await changeWithin(db, organization_id, async (tx) => {
      if (!(await switchOffWithin(tx, { ids, now: now() }, configuration, reason))) return false
      for (const { email, organization } of wakeMailer ? await administrators(tx, project_id) : [])
        await outbox.enqueue(tx, {
          id: ids.uuid(),
          kind: 'plugin_disabled',
          recipient: email,
          content: { name, organization, reason },
          now: now(),
        })
      return true
    })
    if (isChanged) wakeMailer?.()
  }

  return {
    record,
    note: (configuration, level, message) => addLines(pendingOf(configuration), [{ source: 'SYSTEM', level, message }]),
    switchOff,
    flush,
  }
}
