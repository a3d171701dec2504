import { isUuid } from '../auth/access.ts'
import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import * as service from '../exports/service.ts'
import type { Db } from '../sql/db.ts'
import type { RunRow } from '../store/batch_export_runs.ts'
import * as store from '../store/batch_export_runs.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import * as exports from '../store/batch_exports.ts'
import { cursorPage } from './cursor.ts'
import type { Area, HandlerContext, ResolvedAccess } from './handler-context.ts'
import { logPage, storedTime } from './log_entries.ts'
import { parseMoment } from './time.ts'

interface Subject {
  row: BatchExportRow
  /** Undefined in operations on all runs of the export. */
  run: RunRow | undefined
}

export const batch_export_runs = (deps: Deps): Area<'batch_export_runs', Subject> => {
  const { db, now, exporter } = deps
  return {
    subject: async (access) => {
      const { run_id, id = run_id } = access.params
      const row = await batchExportOf(db, access)
      if (id === undefined) return { row, run: undefined }
      const run = isUuid(id) ? await store.get(db, row.id, id.toLowerCase()) : undefined
      if (!run) throw notFound()
      return { row, run }
    },

    operations: {
      'batch_export_runs.list': async (call) => runPage(db, call, now()),

      'batch_export_runs.retrieve': async ({ subject }) => serializeRun(runOf(subject)),

      'batch_export_runs.retry': async ({ actor, subject }) => {
        const run = await service.retry(deps, actor, runOf(subject))
        exporter.wake()
        return serializeRun(run)
      },

      'batch_export_runs.cancel': async ({ actor, subject }) => {
        const run = await service.cancel(deps, actor, subject.row, runOf(subject))
        exporter.abort(run)
        return serializeRun(run)
      },

      'batch_export_runs.logs': (call) =>
        logPage(deps, call, { batch_export_id: call.subject.row.id, run_id: runOf(call.subject).id }),
    },
  }
}

/** The export that the path names, of its project or organization. */
export async function batchExportOf(
  db: Db,
  { params, organization, project }: ResolvedAccess,
): Promise<BatchExportRow> {
  const owner = organization ? { organization_id: organization.id } : project && { project_id: project.id }
  const id = params.batch_export_id ?? params.id ?? ''
  const row = owner && isUuid(id) ? await exports.get(db, owner, id.toLowerCase()) : undefined
  if (!row) throw notFound()
  return row
}

function runOf({ run }: Subject): RunRow {
  if (!run) throw notFound()
  return run
}

export function serializeRun(row: RunRow): components['schemas']['BatchExportRun'] {
  return {
    id: row.id,
    status: row.status,
    records_completed: row.records_completed,
    latest_error: row.latest_error,
    data_interval_start: row.data_interval_start,
    data_interval_end: row.data_interval_end,
    cursor: null,
    created_at: row.created_at,
    finished_at: row.finished_at,
    last_updated_at: row.last_updated_at,
    records_total_count: row.records_total_count,
    bytes_completed: row.bytes_completed,
    batch_export: row.batch_export_id,
    backfill_id: row.backfill_id,
  }
}

function runPage(db: Db, { query, url, subject }: HandlerContext<'batch_export_runs.list', Subject>, now: string) {
  const ordering = query.ordering ?? '-created_at'
  const by: store.RunOrder = ordering.endsWith('created_at') ? 'created_at' : 'data_interval_start'
  const filter: store.RunFilter = { batch_export_id: subject.row.id }
  for (const bound of ['after', 'before', 'start', 'end'] as const)
    if (query[bound] !== undefined) filter[bound] = storedTime(parseMoment(query[bound], bound, now))
  const descending = ordering.startsWith('-')
  return cursorPage(
    { url, query: { cursor: query.cursor } },
    ({ at, backwards, limit }) => store.page(db, filter, { by, descending: descending !== backwards, at, limit }),
    (row) => [row[by], row.id],
    serializeRun,
  )
}
