/** The messages of alerts, for webhooks and emails. They contain names and the error of a run, and no secrets. */
import type { Place, Trigger } from '../store/alerts.ts'
import type { RunRow } from '../store/batch_export_runs.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'

/** A problem of an export, or its end. */
export type Occurrence =
  | { trigger: 'failure' | 'pause'; run: RunRow }
  | { trigger: 'recovery'; run: RunRow | null }
  | { trigger: 'lag'; lag_minutes: number; late_since: string }

/** The body of a webhook request. */
export interface AlertMessage {
  /** The same for every attempt. */
  id: string
  type: Trigger | 'test'
  timestamp: string
  /** One line for people. */
  text: string
  alert: { id: string; name: string }
  organization: { id: string; name: string }
  project: { id: number; name: string } | null
  batch_export: Pick<BatchExportRow, 'id' | 'name' | 'destination_type' | 'interval'> | null
  run: Pick<
    RunRow,
    'id' | 'status' | 'backfill_id' | 'data_interval_start' | 'data_interval_end' | 'latest_error'
  > | null
  lag_minutes: number | null
}

export function messageOf(
  envelope: Pick<AlertMessage, 'id' | 'timestamp' | 'alert'>,
  { organization, project }: Place,
  { id, name, destination_type, interval }: BatchExportRow,
  occurrence: Occurrence,
): AlertMessage {
  const run = occurrence.trigger === 'lag' ? null : occurrence.run
  return {
    id: envelope.id,
    type: occurrence.trigger,
    timestamp: envelope.timestamp,
    text: sentenceOf(`The batch export "${name}" of the project "${project.name}"`, occurrence),
    alert: envelope.alert,
    organization,
    project,
    batch_export: { id, name, destination_type, interval },
    run: run && {
      id: run.id,
      status: run.status,
      backfill_id: run.backfill_id,
      data_interval_start: run.data_interval_start,
      data_interval_end: run.data_interval_end,
      latest_error: run.latest_error,
    },
    lag_minutes: occurrence.trigger === 'lag' ? occurrence.lag_minutes : null,
  }
}

function sentenceOf(subject: string, occurrence: Occurrence): string {
  switch (occurrence.trigger) {
    case 'failure':
      return `${subject} failed: ${occurrence.run.latest_error ?? 'the run was interrupted.'}`
    case 'pause':
      return `${subject} was paused because too many of its runs failed. Last error: ${occurrence.run.latest_error ?? 'none.'}`
    case 'recovery':
      return occurrence.run ? `${subject} works again: a run completed.` : `${subject} has caught up.`
    case 'lag':
      return `${subject} is ${occurrence.lag_minutes} minutes behind: the window that ended at ${occurrence.late_since} is not delivered yet.`
  }
}

/** Without a project and an export. */
export const testMessage = (
  envelope: Pick<AlertMessage, 'id' | 'timestamp' | 'alert' | 'organization'>,
): AlertMessage => ({
  id: envelope.id,
  type: 'test',
  timestamp: envelope.timestamp,
  text: `This is a test of the alert "${envelope.alert.name}".`,
  alert: envelope.alert,
  organization: envelope.organization,
  project: null,
  batch_export: null,
  run: null,
  lag_minutes: null,
})

const SUBJECTS: Record<AlertMessage['type'], (name: string) => string> = {
  failure: (name) => `The export "${name}" failed`,
  recovery: (name) => `The export "${name}" works again`,
  pause: (name) => `The export "${name}" was paused`,
  lag: (name) => `The export "${name}" is behind`,
  test: (name) => `Test of the alert "${name}"`,
}

const REMEDIES: Partial<Record<AlertMessage['type'], string>> = {
  failure: 'There is no further message about failures of this export until a run completes.',
  pause: 'Fix the cause, then unpause the export.',
  lag: 'There is no further message about the lag of this export until it has caught up.',
}

/** The parameters of the email with this message. */
export function mailOf(message: AlertMessage): { subject: string; sentences: string[]; path: string | null } {
  const { type, text, alert, organization, project, batch_export, run } = message
  const window = run && `Run: ${run.data_interval_start} to ${run.data_interval_end} (${run.status}).`
  const remedy = REMEDIES[type]
  return {
    subject: SUBJECTS[type](batch_export?.name ?? alert.name),
    sentences: [
      text,
      ...(window ? [window] : []),
      ...(remedy ? [remedy] : []),
      `The alert "${alert.name}" of ${organization.name} sent this email.`,
    ],
    path:
      project && batch_export
        ? `/organizations/${organization.id}/projects/${project.id}/exports/${batch_export.id}`
        : null,
  }
}
