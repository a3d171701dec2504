/** Starts the public jobs of a plugin on request of a user. */

import { forbidden, invalid } from '../errors.ts'
import type { Ids } from '../ids.ts'
import { isJsonObject } from '../json/object.ts'
import type { Db } from '../sql/db.ts'
import type { UserActor } from '../store/activity_log.ts'
import * as activityLog from '../store/activity_log.ts'
import { fieldChanges } from '../store/field-changes.ts'
import { ADMIN } from '../store/members.ts'
import type { PluginConfigRow } from '../store/plugin_configs.ts'
import * as store from '../store/plugin_jobs.ts'
import type { PluginRow } from '../store/plugins.ts'

export interface JobService {
  db: Db
  ids: Ids
  now: () => string
}

export interface JobInput {
  type: string
  payload?: Record<string, unknown>
  operation?: string
}

/** The project of a configuration, with the caller's level. */
interface Project {
  id: number
  organization_id: string
  membership_level: number
}

/** Queues the job and returns its id. */
export async function startJob(
  { db, ids, now }: JobService,
  project: Project,
  { config, plugin }: { config: PluginConfigRow; plugin: PluginRow },
  { type, payload = {}, operation = 'start' }: JobInput,
  actor: UserActor,
): Promise<string> {
  if (!config.enabled) throw invalid(null, 'This configuration is not enabled. Enable it, then start the job.')
  const complete = completePayload(fieldsOf(plugin, type), payload, project.membership_level)
  const [id, time] = [ids.uuid(), now()]
  const job: store.PluginJobRow = {
    id,
    plugin_config_id: config.id,
    name: type,
    payload: JSON.stringify({ ...complete, $operation: operation, $job_id: id }),
    origin: null,
    run_at: time,
    created_at: time,
  }
  await db.tx(async (tx) => {
    if (!(await store.create(tx, job)))
      throw invalid('job__type', `At most ${store.MAX_JOBS} jobs of a configuration can wait. Try again later.`)
    await activityLog.record(tx, ids, time, actor, {
      organization_id: project.organization_id,
      project_id: project.id,
      area: 'plugin_configs',
      activity: 'job_started',
      item_id: config.id,
      item_name: config.name || plugin.name,
      // A payload may contain credentials.
      changes: fieldChanges({}, { job: type, operation }),
    })
  })
  return id
}

interface JobField {
  key: string
  /** `number` and `boolean` are checked. Other types are texts, or JSON of any kind. */
  type: unknown
  required: boolean
  default: unknown
  staff_only: boolean
}

function fieldsOf({ public_jobs }: PluginRow, type: string): JobField[] {
  const jobs: unknown = public_jobs === null ? {} : JSON.parse(public_jobs)
  if (!isJsonObject(jobs) || Object.keys(jobs).length === 0)
    throw invalid('job__type', 'This plugin has no public jobs.')
  if (!Object.hasOwn(jobs, type))
    throw invalid('job__type', `This plugin has no job of this name. Its jobs are: ${Object.keys(jobs).join(', ')}.`)
  const job = jobs[type]
  const payload = isJsonObject(job) && isJsonObject(job.payload) ? job.payload : {}
  return Object.entries(payload).map(([key, field]) => ({
    key,
    type: isJsonObject(field) ? field.type : undefined,
    required: isJsonObject(field) && field.required === true,
    default: isJsonObject(field) ? (field.default ?? undefined) : undefined,
    staff_only: isJsonObject(field) && field.staff_only === true,
  }))
}

/** The payload with the defaults of its fields. */
function completePayload(
  fields: readonly JobField[],
  payload: Record<string, unknown>,
  level: number,
): Record<string, unknown> {
  for (const key of Object.keys(payload))
    if (!fields.some((field) => field.key === key))
      throw invalid(`job__payload__${key}`, `"${key}" is not a field of this job. Remove it.`)
  const complete: [string, unknown][] = []
  for (const field of fields) {
    const sent = Object.hasOwn(payload, field.key) ? payload[field.key] : undefined
    const value = sent ?? field.default
    if (field.required && (value === undefined || value === ''))
      throw invalid(`job__payload__${field.key}`, `Send "${field.key}": the job requires it.`, 'required')
    if (field.staff_only && level < ADMIN && sent !== undefined && sent !== field.default)
      throw forbidden(`Only administrators can set "${field.key}". Leave it out.`)
    if (sent !== undefined && (field.type === 'number' || field.type === 'boolean') && typeof sent !== field.type)
      throw invalid(`job__payload__${field.key}`, `"${field.key}" must be a ${field.type}.`)
    if (value !== undefined) complete.push([field.key, value])
  }
  return Object.fromEntries(complete)
}
