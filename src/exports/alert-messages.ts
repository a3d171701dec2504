/** The messages of alerts, for webhooks and emails. They contain names and the error of a run, and no secrets. */
import type { AlertContent } from '../mail/outbox.ts'
import type { Place, Trigger } from '../store/alerts.ts'
import type { RunRow } from '../store/batch_export_runs.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'

/** A problem of an export, or its end. */
export type Occurrence =
  | { trigger: 'failure' | 'pause'; run: RunRow }
  | { trigger: 'recovery'; run: RunRow | null }
  | { trigger: 'lag'; lag_minutes: number; late_since: string }

/** One problem, or its end, as an alert reports it. */
export interface AlertMessage {
  /** The same for every attempt. */
  id: string
  type: Trigger | 'test'
  timestamp: string
  /** One line for people. */
  text: string
  /** Null for a message that administrators get without an alert. */
  alert: { id: string; name: string } | null
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

/** A message of a test has no project and no export. */
export const testMessage = (
  envelope: Pick<AlertMessage, 'id' | 'timestamp' | 'alert' | 'organization'>,
): AlertMessage => ({
  id: envelope.id,
  type: 'test',
  timestamp: envelope.timestamp,
  text: `This is a test of the alert "${envelope.alert?.name}".`,
  alert: envelope.alert,
  organization: envelope.organization,
  project: null,
  batch_export: null,
  run: null,
  lag_minutes: null,
})

/** The body of a webhook request: the first of the messages, with the others in a list. All have one type. */
export const webhookOf = (messages: readonly [AlertMessage, ...AlertMessage[]]): object => ({
  ...messages[0],
  text: messages.length === 1 ? messages[0].text : `${headline(messages)}: ${namesOf(messages)}.`,
  messages: messages.map(({ id, timestamp, text, project, batch_export, run, lag_minutes }) => ({
    id,
    timestamp,
    text,
    project,
    batch_export,
    run,
    lag_minutes,
  })),
})

const PREDICATES: Record<AlertMessage['type'], [one: string, many: string]> = {
  failure: ['failed', 'failed'],
  recovery: ['works again', 'work again'],
  pause: ['was paused', 'were paused'],
  lag: ['is behind', 'are behind'],
  test: ['was tested', 'were tested'],
}

/** "3 exports of Acme are behind". */
function headline(messages: readonly [AlertMessage, ...AlertMessage[]]): string {
  const count = new Set(messages.map(({ batch_export }) => batch_export?.id)).size
  const types = [...new Set(messages.map(({ type }) => type))]
  const predicate = types.map((type) => PREDICATES[type][count === 1 ? 0 : 1]).join(' or ')
  return `${count} ${count === 1 ? 'export' : 'exports'} of ${messages[0].organization.name} ${predicate}`
}

/** Names in the text of a digest, and sentences in its email. */
const MAX_NAMES = 10
const MAX_SENTENCES = 100

const moreThan = (total: number, shown: number): string => (total > shown ? ` and ${total - shown} more` : '')

function namesOf(messages: readonly AlertMessage[]): string {
  const names = [...new Set(messages.map(({ batch_export }) => `"${batch_export?.name}"`))]
  return names.slice(0, MAX_NAMES).join(', ') + moreThan(names.length, MAX_NAMES)
}

const REMEDIES: Partial<Record<AlertMessage['type'], string>> = {
  failure: 'There is no further message about failures of this export until a run completes.',
  pause:
    'Fix the cause, then unpause the export. Unpause it with "backfill": true to deliver the events that arrive during the pause.',
  lag: 'There is no further message about the lag of this export until it has caught up.',
}

/** The parameters of an email with these messages. */
export function mailOf(messages: readonly [AlertMessage, ...AlertMessage[]]): AlertContent {
  const alerts = [...new Set(messages.flatMap(({ alert }) => (alert ? [`"${alert.name}"`] : [])))]
  const { name } = messages[0].organization
  const senders =
    alerts.length === 0
      ? `Administrators of ${name} get this email.`
      : `The ${alerts.length === 1 ? 'alert' : 'alerts'} ${alerts.slice(0, MAX_NAMES).join(', ')}${moreThan(alerts.length, MAX_NAMES)} of ${name} sent this email.`
  if (messages.length === 1) return { ...mailOfOne(messages[0]), sentences: [...sentencesOf(messages[0]), senders] }
  const left = messages.length - MAX_SENTENCES
  return {
    subject: headline(messages),
    sentences: [
      ...messages.slice(0, MAX_SENTENCES).map(({ text }) => text),
      ...(left > 0 ? [`There are ${left} more messages. The lists of exports show the state of each.`] : []),
      senders,
    ],
    path: `/organizations/${messages[0].organization.id}`,
  }
}

function mailOfOne({
  type,
  alert,
  organization,
  project,
  batch_export,
}: AlertMessage): Omit<AlertContent, 'sentences'> {
  if (!project || !batch_export) return { subject: `Test of the alert "${alert?.name}"`, path: null }
  return {
    subject: `The export "${batch_export.name}" ${PREDICATES[type][0]}`,
    path: `/organizations/${organization.id}/projects/${project.id}/exports/${batch_export.id}`,
  }
}

function sentencesOf({ type, text, run }: AlertMessage): string[] {
  const window = run && `Run: ${run.data_interval_start} to ${run.data_interval_end} (${run.status}).`
  return [text, window, REMEDIES[type]].flatMap((sentence) => (sentence ? [sentence] : []))
}
