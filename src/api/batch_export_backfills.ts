import { isUuid } from '../auth/access.ts'
import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import * as backfills from '../exports/backfills.ts'
import * as store from '../store/batch_export_backfills.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import { batchExportOf } from './batch_export_runs.ts'
import { cursorPage } from './cursor.ts'
import type { Area } from './handler-context.ts'
import { parseChoice, queryList } from './query-parameters.ts'
import { parseIsoTime } from './time.ts'

type Schemas = components['schemas']

interface Subject {
  row: BatchExportRow
  /** Undefined in operations on all backfills of the export. */
  backfill: store.ListedBackfill | undefined
}

export const batch_export_backfills = (deps: Deps): Area<'batch_export_backfills', Subject> => {
  const { db, now, exporter } = deps
  const serializerFor = (row: BatchExportRow) => (backfill: store.ListedBackfill) =>
    serializeBackfill(backfill, row, now())
  const read = async (row: BatchExportRow, id: string): Promise<Schemas['Backfill']> => {
    const backfill = await store.get(db, row.id, id)
    if (!backfill) throw notFound()
    return serializerFor(row)(backfill)
  }
  return {
    subject: async (access) => {
      const { id } = access.params
      const row = await batchExportOf(db, access)
      if (id === undefined) return { row, backfill: undefined }
      const backfill = isUuid(id) ? await store.get(db, row.id, id.toLowerCase()) : undefined
      if (!backfill) throw notFound()
      return { row, backfill }
    },

    operations: {
      'batch_export_backfills.list': async (call) => {
        const { row } = call.subject
        const statuses = queryList(call.query, 'status')?.map((text) =>
          parseChoice('status', store.BACKFILL_STATUSES, text),
        )
        const filter = { batch_export_id: row.id, statuses }
        return cursorPage(
          call,
          ({ at, backwards, limit }) => store.page(db, filter, { at, descending: !backwards, limit }),
          ({ created_at, id }) => [created_at, id],
          serializerFor(row),
        )
      },

      'batch_export_backfills.create': async ({ actor, subject, body }) => {
        const { row, backfill } = await backfills.start(deps, actor, subject.row, rangeOf(body))
        exporter.wake()
        return read(row, backfill.id)
      },

      'batch_export_backfills.estimate': ({ subject, body, signal }) =>
        backfills.estimate(deps, subject.row, rangeOf(body), signal),

      'batch_export_backfills.retrieve': async ({ subject }) => serializerFor(subject.row)(backfillOf(subject)),

      'batch_export_backfills.cancel': async ({ actor, subject }) => {
        const { row } = subject
        const backfill = backfillOf(subject)
        for (const id of await backfills.cancel(deps, actor, row, backfill))
          exporter.abort({ batch_export_id: row.id, id })
        return read(row, backfill.id)
      },
    },
  }
}

function backfillOf({ backfill }: Subject): store.ListedBackfill {
  if (!backfill) throw notFound()
  return backfill
}

const rangeOf = ({ start_at, end_at }: Schemas['BackfillCreate']): backfills.BackfillInput => ({
  start_at: start_at === null ? null : parseIsoTime(start_at, 'start_at'),
  end_at: parseIsoTime(end_at, 'end_at'),
})

function serializeBackfill(backfill: store.ListedBackfill, row: BatchExportRow, now: string): Schemas['Backfill'] {
  const { id, batch_export_id, start_at, end_at, windows_completed, created_at, finished_at } = backfill
  return {
    id,
    team_id: row.project_id,
    batch_export: batch_export_id,
    start_at,
    end_at,
    status: store.statusOf(backfill),
    windows_completed,
    latest_error: backfill.latest_error ?? backfill.run_error,
    created_at,
    finished_at,
    last_updated_at: backfill.run_updated_at ?? backfill.last_updated_at ?? created_at,
    ...backfills.progressOf(backfill, row, now),
  }
}
