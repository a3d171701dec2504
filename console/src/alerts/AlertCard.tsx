import { Alert, Badge, Group, Paper, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { answer, client, type Schemas } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { WarningIcon } from '../parts/icons.tsx'
import { AnchorLink } from '../parts/links.tsx'
import { StateBadge } from '../parts/StateBadge.tsx'
import { Time } from '../parts/Time.tsx'
import { useChange } from '../parts/use-change.ts'
import { EnabledSwitch, TestButton } from './AlertActions.tsx'
import { alertsKey, exportOfAlertQuery, TRIGGERS } from './queries.ts'

type AlertItem = Schemas['Alert']

/** One alert: what it is about, where it goes, and its actions. */
export function AlertCard({
  organization,
  alert,
  page,
  onEdit,
}: {
  organization: Schemas['Organization']
  alert: AlertItem
  page: number
  onEdit: () => void
}) {
  const { id, name, enabled, latest_error } = alert
  const params = { path: { organization_id: organization.id, id } }
  const remove = useChange({
    send: () => answer(client.DELETE('/api/organizations/{organization_id}/alerts/{id}/', { params })),
    done: `The alert "${name}" is deleted.`,
    refreshes: [alertsKey],
  })
  return (
    <Paper withBorder p="md" component="li" style={{ listStyle: 'none' }} aria-label={name}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" gap="sm">
          <Stack gap={6} flex="1 1 18rem" miw={0}>
            <Group gap="xs">
              <Text fw={600} className="wrap">
                {name}
              </Text>
              <AlertState alert={alert} />
            </Group>
            <Group gap={6}>
              {TRIGGERS.filter(({ value }) => alert.triggers.includes(value)).map(({ value, label }) => (
                <Badge key={value} variant="default" tt="none">
                  {value === 'lag' ? `${label} over ${alert.lag_minutes} minutes` : label}
                </Badge>
              ))}
            </Group>
            <Text size="sm" className="wrap" component="div">
              {alert.channel === 'email' ? 'Email' : 'Webhook'} to {alert.url ?? (alert.emails.join(', ') || 'nobody')}
            </Text>
            <Text size="sm" c="dimmed" component="div">
              <Scope organization={organization} alert={alert} /> ·{' '}
              {alert.last_triggered_at ? (
                <>
                  last message <Time value={alert.last_triggered_at} />
                </>
              ) : (
                'no message yet'
              )}
            </Text>
          </Stack>
          <Group gap="xs">
            <EnabledSwitch organization_id={organization.id} alert={alert} page={page} />
            <TestButton organization_id={organization.id} alert={alert} />
            <ActionButton variant="default" size="xs" onClick={onEdit} aria-label={`Edit ${name}`}>
              Edit
            </ActionButton>
            <ConfirmButton
              variant="outline"
              size="xs"
              danger
              aria-label={`Delete ${name}`}
              title={`Delete the alert "${name}"?`}
              effect="It sends no further messages, and those that wait are dropped. A webhook that you create again has another secret."
              confirm="Delete alert"
              onConfirm={() => remove.mutateAsync()}
            >
              Delete
            </ConfirmButton>
          </Group>
        </Group>
        {enabled && latest_error !== null && (
          <Alert color="red" variant="light" icon={<WarningIcon />} title="The last message was not sent" p="sm">
            <Text size="sm" className="wrap">
              {latest_error}
            </Text>
          </Alert>
        )}
      </Stack>
    </Paper>
  )
}

function AlertState({ alert: { enabled, latest_error } }: { alert: AlertItem }) {
  if (!enabled) return <StateBadge color="gray">Off</StateBadge>
  return latest_error === null ? (
    <StateBadge color="green">On</StateBadge>
  ) : (
    <StateBadge color="red">Failing</StateBadge>
  )
}

/** Which exports the alert is about. */
function Scope({ organization, alert }: { organization: Schemas['Organization']; alert: AlertItem }) {
  const { batch_export_id, team_id } = alert
  const found = useQuery({
    ...exportOfAlertQuery(organization.id, batch_export_id ?? ''),
    enabled: batch_export_id !== null,
  })
  if (batch_export_id !== null)
    return found.data ? (
      <>
        Export{' '}
        <AnchorLink
          size="sm"
          underline="always"
          to="/organizations/$organization/projects/$project/exports/$export"
          params={{ organization: organization.id, project: String(found.data.team_id), export: batch_export_id }}
        >
          {found.data.name}
        </AnchorLink>
      </>
    ) : (
      'One export'
    )
  if (team_id === null) return 'All exports'
  return `Exports of ${organization.teams.find(({ id }) => id === team_id)?.name ?? `project ${team_id}`}`
}
