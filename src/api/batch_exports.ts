/** Batch exports of all projects of an organization. `project_batch_exports.ts` shares the handlers. */
import { isIntegerId } from '../auth/access.ts'
import type { components } from '../contract/openapi.ts'
import type { Body } from '../contract/operations.ts'
import type { Deps } from '../deps.ts'
import { invalid } from '../errors.ts'
import * as backfills from '../exports/backfills.ts'
import { testExport } from '../exports/connection-test.ts'
import { nextRunAt } from '../exports/schedule.ts'
import * as service from '../exports/service.ts'
import { visibleConfig } from '../exports/settings.ts'
import { storedJson } from '../json/stored.ts'
import type { UserActor } from '../store/activity_log.ts'
import * as runs from '../store/batch_export_runs.ts'
import type { BatchExportRow, Owner } from '../store/batch_exports.ts'
import * as store from '../store/batch_exports.ts'
import * as integrations from '../store/integrations.ts'
import * as projects from '../store/projects.ts'
import { batchExportOf, serializeRun } from './batch_export_runs.ts'
import type { Area, HandlerContext, ResolvedAccess } from './handler-context.ts'
import { page, paging } from './page.ts'
import { parseIsoTime } from './time.ts'

type Schemas = components['schemas']
type ListCall = Pick<HandlerContext<'batch_exports.list' | 'project_batch_exports.list'>, 'query' | 'url'>

const LATEST_RUNS = 10

export const batch_exports = (deps: Deps): Area<'batch_exports', BatchExportRow> => {
  const handlers = batchExportHandlers(deps)
  return {
    subject: handlers.subject,
    operations: {
      'batch_exports.list': (call) => handlers.list({ organization_id: call.organization.id }, call),
      'batch_exports.create': async ({ actor, organization, body }) => {
        const { team_id } = body
        const isPossible = team_id === undefined || isIntegerId(String(team_id))
        const project = isPossible && (await projects.within(deps.db, organization.id, team_id))
        if (!project)
          throw invalid(
            'team_id',
            'The organization has no such project. Send the id of one of its projects.',
            'does_not_exist',
          )
        return handlers.create(actor, project.id, body)
      },
      'batch_exports.test': ({ organization, body }) => handlers.test({ organization_id: organization.id }, body),
      'batch_exports.retrieve': ({ subject }) => handlers.retrieve(subject),
      'batch_exports.update': ({ actor, subject, body }) => handlers.update(actor, subject, body),
      'batch_exports.delete': ({ actor, subject }) => handlers.delete(actor, subject),
      'batch_exports.backfill': ({ actor, subject, body }) => handlers.backfill(actor, subject, body),
      'batch_exports.pause': ({ actor, subject }) => handlers.pause(actor, subject),
      'batch_exports.run': ({ actor, subject }) => handlers.run(actor, subject),
      'batch_exports.unpause': ({ actor, subject, body }) => handlers.unpause(actor, subject, body),
    },
  }
}

/** The handlers that both areas bind. */
export function batchExportHandlers(deps: Deps) {
  const { db, exporter } = deps

  /** Loads the latest runs and the integrations of the exports and returns their serializer. */
  const serializerFor = async (rows: readonly BatchExportRow[]) => {
    const ids = rows.map(({ id }) => id)
    const runsOf = new Map<string, runs.RunRow[]>(ids.map((id) => [id, []]))
    for (const run of await runs.latest(db, ids, LATEST_RUNS)) runsOf.get(run.batch_export_id)?.push(run)
    const used = new Set(rows.flatMap(({ integration_id }) => integration_id ?? []))
    const found = used.size ? await integrations.withIds(db, [...used]) : []
    const integrationOf = new Map(found.map((integration) => [integration.id, integration]))
    return (row: BatchExportRow) =>
      serializeBatchExport(row, integrationOf.get(row.integration_id ?? ''), runsOf.get(row.id) ?? [])
  }
  const serialize = async (row: BatchExportRow) => (await serializerFor([row]))(row)

  return {
    subject: (access: ResolvedAccess) => batchExportOf(db, access),

    list: async (owner: Owner, { query, url }: ListCall) => {
      const { search, integration, run } = query
      const { count, rows } = await store.list(db, owner, { ...paging(query), search, integration, run })
      return page({ url, query }, count, rows, await serializerFor(rows))
    },

    create: async (actor: UserActor, project_id: number, body: Schemas['BatchExportCreate']) => {
      const { name, interval, destination } = body
      const input = { ...inputOf(body), name, interval, destination: destinationOf(destination) }
      const row = await service.create(deps, actor, project_id, input)
      exporter.wake()
      return serialize(row)
    },

    test: (owner: { organization_id: string; project_id?: number }, body: Schemas['DestinationCreate']) =>
      testExport(deps, owner, destinationOf(body)),

    retrieve: serialize,

    update: async (actor: UserActor, { id }: BatchExportRow, body: Schemas['BatchExportWrite'] = {}) => {
      const row = await service.update(deps, actor, id, inputOf(body))
      exporter.wake()
      return serialize(row)
    },

    delete: async (actor: UserActor, row: BatchExportRow) => {
      await service.remove(deps, actor, row)
      exporter.abort({ batch_export_id: row.id })
    },

    backfill: async (actor: UserActor, subject: BatchExportRow, body: Schemas['BatchExportBackfill']) => {
      const { row, backfill } = await backfills.start(deps, actor, subject, {
        start_at: parseIsoTime(body.start_at, 'start_at'),
        end_at: parseIsoTime(body.end_at, 'end_at'),
      })
      exporter.wake()
      return { ...(await serialize(row)), backfill_id: backfill.id }
    },

    pause: async (actor: UserActor, { id }: BatchExportRow) => serialize(await service.pause(deps, actor, id)),

    run: async (actor: UserActor, subject: BatchExportRow) => {
      const run = await service.run(deps, actor, subject)
      exporter.wake()
      return serializeRun(run)
    },

    unpause: async (actor: UserActor, { id }: BatchExportRow, body: Body<'batch_exports.unpause'> = {}) => {
      const { row, skipped } = await service.unpause(deps, actor, id, body.backfill ?? false)
      exporter.wake()
      return { ...(await serialize(row)), skipped_events: skipped }
    },
  }
}

const destinationOf = (body: Schemas['DestinationCreate']) => ({
  type: body.type,
  config: { ...body.config },
  ...('integration' in body && { integration: body.integration }),
  ...('integration_id' in body && { integration_id: body.integration_id }),
})

/** Fields that are absent from the body stay undefined. */
function inputOf(body: Schemas['BatchExportWrite']): service.BatchExportInput {
  const { name, destination, interval, timezone, offset_day, offset_hour, model, filters, paused, ...rest } = body
  const { hogql_query, start_at, end_at } = rest
  return {
    name,
    destination,
    interval,
    timezone,
    offset_day,
    offset_hour,
    model,
    filters: filters === undefined ? undefined : filters?.length ? filters : null,
    paused,
    hogql_query: hogql_query === undefined ? undefined : hogql_query || null,
    start_at: start_at == null ? start_at : parseIsoTime(start_at, 'start_at'),
    end_at: end_at == null ? end_at : parseIsoTime(end_at, 'end_at'),
  }
}

function serializeBatchExport(
  row: BatchExportRow,
  integration: integrations.IntegrationRow | undefined,
  latestRuns: runs.RunRow[],
): Schemas['BatchExport'] {
  return {
    id: row.id,
    team_id: row.project_id,
    name: row.name,
    model: row.model,
    // The stored config has the shape of its type.
    destination: {
      type: row.destination_type,
      config: visibleConfig(row, integration),
      integration: row.integration_id,
    } as Schemas['Destination'],
    interval: row.interval,
    timezone: row.timezone,
    offset_day: row.offset_day,
    offset_hour: row.offset_hour,
    paused: Boolean(row.paused),
    created_at: row.created_at,
    last_updated_at: row.last_updated_at,
    last_paused_at: row.last_paused_at,
    start_at: row.start_at,
    end_at: row.end_at,
    next_run_at: nextRunAt(row),
    latest_runs: latestRuns.map(serializeRun),
    filters: row.filters === null ? null : storedJson(row.filters),
    hogql_query: row.hogql_query,
    schema: row.schema === null ? null : storedJson(row.schema),
  }
}
