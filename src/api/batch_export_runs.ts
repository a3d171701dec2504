import { isUuid } from '../auth/access.ts'
import type { Deps } from '../deps.ts'
import { invalid, notFound } from '../errors.ts'
import * as control from '../exports/service.ts'
import type { RunRow } from '../store/batch_export_runs.ts'
import * as store from '../store/batch_export_runs.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import * as exports from '../store/batch_exports.ts'
import type { Area, HandlerContext } from './handler-context.ts'
import { isoOf, logPage } from './log_entries.ts'
import { parseMoment } from './time.ts'
import * as wire from './wire.ts'

const PAGE_SIZE = 100

interface Subject {
  row: BatchExportRow
  /** Where the path names one. */
  run: RunRow | undefined
}

export const batch_export_runs = (deps: Deps): Area<'batch_export_runs', Subject> => {
  const { db, now, eventReader, exporter } = deps
  const tools: control.ExportService = { ...deps, reader: eventReader }
  return {
    subject: async ({ params, project }) => {
      const { batch_export_id: export_id, id = params.run_id } = params
      const row = isUuid(export_id!)
        ? await exports.get(db, { project_id: project!.id }, export_id!.toLowerCase())
        : undefined
      if (!row) throw notFound()
      if (id === undefined) return { row, run: undefined }
      const run = isUuid(id) ? await store.get(db, row.id, id.toLowerCase()) : undefined
      if (!run) throw notFound()
      return { row, run }
    },

    operations: {
      'batch_export_runs.list': async (call) => runPage(call, (filter, order) => store.page(db, filter, order), now()),

      'batch_export_runs.retrieve': async ({ subject }) => wire.run(subject.run!),

      'batch_export_runs.retry': async ({ subject }) => {
        const run = await control.retry(tools, subject.run!)
        exporter.wake()
        return wire.run(run)
      },

      'batch_export_runs.cancel': async ({ subject }) => {
        const run = await control.cancel(tools, subject.row, subject.run!)
        exporter.abort(run)
        return wire.run(run)
      },

      'batch_export_runs.logs': (call) =>
        logPage(deps, call, { batch_export_id: call.subject.row.id, run_id: call.subject.run!.id }),
    },
  }
}

type RunCall = HandlerContext<'batch_export_runs.list', Subject>
type Read = (filter: store.RunFilter, order: Parameters<typeof store.page>[2]) => Promise<RunRow[]>

/** Follows the boundary row, not a number of rows, so that runs that begin meanwhile shift nothing. */
async function runPage({ query, url, subject }: RunCall, read: Read, now: string) {
  const ordering = query.ordering ?? '-created_at'
  const by = ordering.replace('-', '') as 'created_at' | 'data_interval_start'
  const filter: store.RunFilter = { batch_export_id: subject.row.id }
  for (const bound of ['after', 'before', 'start', 'end'] as const)
    if (query[bound] !== undefined) filter[bound] = isoOf(parseMoment(query[bound], bound, now))
  const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor)
  const backwards = cursor?.way === 'previous'
  const descending = ordering.startsWith('-') !== backwards
  const found = await read(filter, { by, descending, ...(cursor && { at: cursor.at }), limit: PAGE_SIZE + 1 })
  const rows = found.slice(0, PAGE_SIZE)
  if (backwards) rows.reverse()
  const more = found.length > PAGE_SIZE
  const link = (way: Cursor['way'], row: RunRow | undefined): string | null => {
    if (!row) return null
    const parameters = new URLSearchParams(url.search)
    parameters.set('cursor', writeCursor({ way, at: [row[by], row.id] }))
    return `${url.origin}${url.path}?${parameters}`
  }
  return {
    next: link('next', (backwards ? cursor : more) ? rows.at(-1) : undefined),
    previous: link('previous', (backwards ? more : cursor) ? rows[0] : undefined),
    results: rows.map(wire.run),
  }
}

interface Cursor {
  way: 'next' | 'previous'
  at: [value: string, id: string]
}

const writeCursor = ({ way, at }: Cursor): string => Buffer.from([way, ...at].join(' ')).toString('base64url')

function readCursor(text: string): Cursor {
  const [way, value, id] = Buffer.from(text, 'base64url').toString().split(' ')
  const known = (way === 'next' || way === 'previous') && value && id && isUuid(id) && !Number.isNaN(Date.parse(value))
  if (!known) throw invalid('cursor', '"cursor" is not valid. Take it from "next" or "previous" of a page.')
  return { way, at: [value, id] }
}
