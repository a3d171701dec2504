import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import * as rules from '../exports/alerts.ts'
import * as store from '../store/alerts.ts'
import type { Area, AreaAccess } from './handler-context.ts'
import { page, paging } from './page.ts'

type Schemas = components['schemas']

export const alerts = (deps: Deps): Area<'alerts', store.AlertRow> => {
  const serialize = (alert: rules.Alert, secret: string | null = null): Schemas['Alert'] =>
    serializeAlert(alert, { secret, mailAvailable: deps.mailer !== null })

  return {
    subject: ({ params, organization }: AreaAccess<'alerts'>) => rules.get(deps, organization, params.id),

    operations: {
      'alerts.list': async ({ organization, query, url }) => {
        const { count, rows } = await store.list(deps.db, organization.id, paging(query))
        const found = await rules.withRecipients(deps.db, rows)
        return page({ url, query }, count, found, (alert) => serialize(alert))
      },

      'alerts.create': async ({ actor, organization, body }) => {
        const { name, triggers, channel } = body
        const created = await rules.create(deps, actor, organization, { ...inputOf(body), name, triggers, channel })
        return serialize(created, created.new_secret)
      },

      'alerts.retrieve': async ({ subject }) => {
        const [alert] = await rules.withRecipients(deps.db, [subject])
        return serialize({ ...subject, emails: alert?.emails ?? [] })
      },

      'alerts.update': async ({ actor, subject, body = {} }) => {
        const updated = await rules.update(deps, actor, subject, inputOf(body))
        return serialize(updated, updated.new_secret)
      },

      'alerts.delete': ({ actor, subject }) => rules.remove(deps, actor, subject),

      'alerts.test': ({ organization, subject }) => rules.sendTest(deps, organization, subject),
    },
  }
}

const inputOf = ({ team_id, ...body }: Schemas['AlertWrite']): rules.AlertInput => ({
  name: body.name,
  enabled: body.enabled,
  triggers: body.triggers,
  lag_minutes: body.lag_minutes,
  project_id: team_id,
  batch_export_id: body.batch_export_id,
  channel: body.channel,
  emails: body.emails,
  url: body.url,
})

function serializeAlert(
  alert: rules.Alert,
  { secret, mailAvailable }: { secret: string | null; mailAvailable: boolean },
): Schemas['Alert'] {
  return {
    id: alert.id,
    name: alert.name,
    enabled: Boolean(alert.enabled),
    triggers: rules.triggersOf(alert),
    lag_minutes: alert.lag_minutes,
    team_id: alert.project_id,
    batch_export_id: alert.batch_export_id,
    channel: alert.channel,
    emails: alert.emails,
    url: alert.url,
    secret,
    last_triggered_at: alert.last_triggered_at,
    latest_error: alert.channel === 'email' ? mailProblem(alert, mailAvailable) : alert.latest_error,
    created_at: alert.created_at,
    updated_at: alert.updated_at,
  }
}

function mailProblem({ emails }: rules.Alert, mailAvailable: boolean): string | null {
  if (!mailAvailable) return rules.NO_MAIL
  return emails.length ? null : rules.NO_RECIPIENTS
}
