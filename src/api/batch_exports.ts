/** Batch exports of a project, and of all projects of an organization: one implementation under two names. */
import { isUuid } from '../auth/access.ts'
import type { Body } from '../contract/operations.ts'
import type { Deps } from '../deps.ts'
import { invalid, notFound } from '../errors.ts'
import * as control from '../exports/service.ts'
import { checkSettings, type Settings } from '../exports/settings.ts'
import * as runs from '../store/batch_export_runs.ts'
import type { BatchExportRow, Owner } from '../store/batch_exports.ts'
import * as store from '../store/batch_exports.ts'
import * as projects from '../store/projects.ts'
import type { Area, HandlerContext, ResolvedAccess } from './handler-context.ts'
import { logPage } from './log_entries.ts'
import { page, paging } from './page.ts'
import { parseTime } from './time.ts'
import * as wire from './wire.ts'

const LATEST_RUNS = 10

type Write = Body<'batch_exports.update'>
type Level = 'batch_exports' | 'project_batch_exports'

/** What the handlers of both levels share. */
const shared = (deps: Deps) => {
  const { db, eventReader, exporter, processes, files_root, config, outbound } = deps
  const tools: control.ExportService = { ...deps, reader: eventReader }

  const answers = async (rows: BatchExportRow[]) => {
    const latest = await runs.latest(
      db,
      rows.map(({ id }) => id),
      LATEST_RUNS,
    )
    return rows.map((row) =>
      wire.batchExport(
        row,
        latest.filter((run) => run.batch_export_id === row.id),
      ),
    )
  }
  const answer = async (row: BatchExportRow) => (await answers([row]))[0]!

  return {
    subject: async ({ params, organization, project }: ResolvedAccess): Promise<BatchExportRow> => {
      const owner: Owner = organization ? { organization_id: organization.id } : { project_id: project!.id }
      const id = params.batch_export_id ?? params.id!
      const row = isUuid(id) ? await store.get(db, owner, id.toLowerCase()) : undefined
      if (!row) throw notFound()
      return row
    },

    list: async (owner: Owner, { query, url }: Pick<HandlerContext<`${Level}.list`>, 'query' | 'url'>) => {
      const { count, rows } = await store.list(db, owner, paging(query))
      return page({ url, query }, count, await answers(rows))
    },

    create: async (project_id: number, body: NonNullable<Body<'project_batch_exports.create'>>) => {
      const { name, interval, destination } = body
      const row = await control.create(tools, project_id, {
        ...wishOf(body),
        name,
        interval,
        destination: settingsOf(destination),
      })
      exporter.wake()
      return answer(row)
    },

    test: async (body: NonNullable<Body<'batch_exports.test'>>) => {
      const settings = settingsOf(body)
      await checkSettings(settings, outbound)
      const steps = await processes.testDestination({
        ...settings,
        files_root,
        outbound_allow: config.OUTBOUND_ALLOW,
      })
      return { passed: steps.every(({ status }) => status !== 'failed'), steps }
    },

    retrieve: answer,

    update: async ({ id }: BatchExportRow, body: Write = {}) => {
      const row = await control.update(tools, id, wishOf(body))
      exporter.wake()
      return answer(row)
    },

    delete: async ({ id }: BatchExportRow) => {
      if (!(await store.remove(db, id))) throw notFound()
      exporter.drop({ batch_export_id: id })
    },

    backfill: async ({ id }: BatchExportRow, body: NonNullable<Body<'batch_exports.backfill'>>) => {
      const { row, backfill_id } = await control.backfill(tools, id, {
        start_at: parseTime(body.start_at, 'start_at'),
        end_at: parseTime(body.end_at, 'end_at'),
      })
      exporter.wake()
      return { ...(await answer(row)), backfill_id }
    },

    pause: async ({ id }: BatchExportRow) => answer(await control.pause(tools, id)),

    unpause: async ({ id }: BatchExportRow, body: Body<'batch_exports.unpause'> = {}) => {
      const row = await control.unpause(tools, id, body.backfill ?? false)
      exporter.wake()
      return answer(row)
    },
  }
}

const settingsOf = ({ type, config = {} }: NonNullable<Body<'batch_exports.test'>>): Settings => ({ type, config })

/** Times as they are stored; what is absent stays absent. */
const timesOf = (body: NonNullable<Write>): Pick<control.BatchExportInput, 'start_at' | 'end_at'> =>
  Object.fromEntries(
    (['start_at', 'end_at'] as const).flatMap((field) => {
      const text = body[field]
      return text === undefined ? [] : [[field, text === null ? null : parseTime(text, field)]]
    }),
  )

function wishOf(body: NonNullable<Write>): control.BatchExportInput {
  const { name, destination, interval, paused, hogql_query } = body
  return {
    ...(name !== undefined && { name }),
    ...(destination !== undefined && { destination: destination as control.BatchExportInput['destination'] }),
    ...(interval !== undefined && { interval }),
    ...(paused !== undefined && { paused }),
    ...(hogql_query !== undefined && { hogql_query: hogql_query || null }),
    ...timesOf(body),
  } as control.BatchExportInput
}

export const batch_exports = (deps: Deps): Area<'batch_exports', BatchExportRow> => {
  const { subject, ...on } = shared(deps)
  return {
    subject,
    operations: {
      'batch_exports.list': (call) => on.list({ organization_id: call.organization.id }, call),
      'batch_exports.create': async ({ organization, body }) => {
        const project = await projects.within(deps.db, organization.id, body.team_id)
        if (!project)
          throw invalid(
            'team_id',
            'The organization has no such project. Send the id of one of its projects.',
            'does_not_exist',
          )
        return on.create(project.id, body)
      },
      'batch_exports.test': ({ body }) => on.test(body),
      'batch_exports.retrieve': (call) => on.retrieve(call.subject),
      'batch_exports.update': (call) => on.update(call.subject, call.body),
      'batch_exports.delete': (call) => on.delete(call.subject),
      'batch_exports.backfill': (call) => on.backfill(call.subject, call.body),
      'batch_exports.pause': (call) => on.pause(call.subject),
      'batch_exports.unpause': (call) => on.unpause(call.subject, call.body),
    },
  }
}

export const project_batch_exports = (deps: Deps): Area<'project_batch_exports', BatchExportRow> => {
  const { subject, ...on } = shared(deps)
  return {
    subject,
    operations: {
      'project_batch_exports.list': (call) => on.list({ project_id: call.project.id }, call),
      'project_batch_exports.create': ({ project, body }) => on.create(project.id, body),
      'project_batch_exports.test': ({ body }) => on.test(body),
      'project_batch_exports.retrieve': (call) => on.retrieve(call.subject),
      'project_batch_exports.update': (call) => on.update(call.subject, call.body),
      'project_batch_exports.delete': (call) => on.delete(call.subject),
      'project_batch_exports.backfill': (call) => on.backfill(call.subject, call.body),
      'project_batch_exports.pause': (call) => on.pause(call.subject),
      'project_batch_exports.unpause': (call) => on.unpause(call.subject, call.body),
      'project_batch_exports.logs': (call) => logPage(deps, call, { batch_export_id: call.subject.id }),
    },
  }
}
