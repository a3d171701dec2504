/** Batch exports of one project. */
import type { Deps } from '../deps.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import { batchExportHandlers } from './batch_exports.ts'
import type { Area } from './handler-context.ts'
import { logPage } from './log_entries.ts'

export const project_batch_exports = (deps: Deps): Area<'project_batch_exports', BatchExportRow> => {
  const handlers = batchExportHandlers(deps)
  return {
    subject: handlers.subject,
    operations: {
      'project_batch_exports.list': (call) => handlers.list({ project_id: call.project.id }, call),
      'project_batch_exports.create': ({ project, body }) => handlers.create(project.id, body),
      'project_batch_exports.test': ({ body }) => handlers.test(body),
      'project_batch_exports.retrieve': ({ subject }) => handlers.retrieve(subject),
      'project_batch_exports.update': ({ subject, body }) => handlers.update(subject, body),
      'project_batch_exports.delete': ({ subject }) => handlers.delete(subject),
      'project_batch_exports.backfill': ({ subject, body }) => handlers.backfill(subject, body),
      'project_batch_exports.pause': ({ subject }) => handlers.pause(subject),
      'project_batch_exports.unpause': ({ subject, body }) => handlers.unpause(subject, body),
      'project_batch_exports.logs': (call) => logPage(deps, call, { batch_export_id: call.subject.id }),
    },
  }
}
