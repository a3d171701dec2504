/** Batch exports of one project. */
import type { Deps } from '../deps.ts'
import { preview } from '../exports/preview.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import { epochMicroseconds } from '../time/stored.ts'
import { batchExportHandlers } from './batch_exports.ts'
import { type Area, RawResponse } from './handler-context.ts'
import { logPage } from './log_entries.ts'

export const project_batch_exports = (deps: Deps): Area<'project_batch_exports', BatchExportRow> => {
  const handlers = batchExportHandlers(deps)
  return {
    subject: handlers.subject,
    operations: {
      'project_batch_exports.list': (call) => handlers.list({ project_id: call.project.id }, call),
      'project_batch_exports.create': ({ actor, project, body }) => handlers.create(actor, project.id, body),
      'project_batch_exports.test': ({ project: { id, organization_id }, body }) =>
        handlers.test({ organization_id, project_id: id }, body),
      'project_batch_exports.preview': async ({ project, body, signal }) => {
        const now = epochMicroseconds(deps.now())
        const { columns, rows } = await preview(deps.eventReader, {
          ...body,
          model: body.model ?? 'events',
          project_id: project.id,
          now,
          signal,
        })
        return new RawResponse(
          'application/json',
          `{"columns":${JSON.stringify(columns)},"results":[${rows.join(',')}]}`,
        )
      },
      'project_batch_exports.retrieve': ({ subject }) => handlers.retrieve(subject),
      'project_batch_exports.update': ({ actor, subject, body }) => handlers.update(actor, subject, body),
      'project_batch_exports.delete': ({ actor, subject }) => handlers.delete(actor, subject),
      'project_batch_exports.backfill': ({ actor, subject, body }) => handlers.backfill(actor, subject, body),
      'project_batch_exports.pause': ({ actor, subject }) => handlers.pause(actor, subject),
      'project_batch_exports.run': ({ actor, subject }) => handlers.run(actor, subject),
      'project_batch_exports.unpause': ({ actor, subject, body }) => handlers.unpause(actor, subject, body),
      'project_batch_exports.logs': (call) => logPage(deps, call, { batch_export_id: call.subject.id }),
    },
  }
}
