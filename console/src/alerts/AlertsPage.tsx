import { Alert, Badge, Group, Modal, Paper, Skeleton, Stack, Switch, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { answer, client, queryClient, type Schemas } from '../api.ts'
import { invalidate, PAGE_SIZE } from '../organization/queries.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert, notifyDone, notifyError } from '../parts/ErrorAlert.tsx'
import { PlusIcon, WarningIcon } from '../parts/icons.tsx'
import { ADMINISTRATOR, needsLevel } from '../parts/levels.ts'
import { AnchorLink } from '../parts/links.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Pager } from '../parts/Pager.tsx'
import { StateBadge } from '../parts/StateBadge.tsx'
import { Time } from '../parts/Time.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { AlertForm } from './AlertForm.tsx'
import { alertsQuery, exportOfAlertQuery, TRIGGERS } from './queries.ts'
import { WebhookSecret } from './WebhookSecret.tsx'

type AlertItem = Schemas['Alert']

const route = getRouteApi('/signed-in/organizations/$organization/alerts')

export function AlertsPage() {
  const organization = useOrganization()
  const navigate = route.useNavigate()
  const reason = needsLevel(organization.membership_level, ADMINISTRATOR)
  const newButton = (
    <ActionButton
      leftSection={<PlusIcon />}
      disabledReason={reason}
      onClick={() => void navigate({ search: (before) => ({ ...before, create: true }) })}
    >
      New alert
    </ActionButton>
  )
  return reason === undefined ? (
    <Alerts organization={organization} newButton={newButton} />
  ) : (
    <>
      <PageHeader title="Alerts" description={DESCRIPTION} />
      <EmptyState title="Only administrators and owners manage alerts">
        The addresses of webhooks can contain secrets. {reason}
      </EmptyState>
    </>
  )
}

const DESCRIPTION = 'Get an email or a webhook when exports fail, recover, are paused or fall behind.'

function Alerts({ organization, newButton }: { organization: Schemas['Organization']; newButton: ReactNode }) {
  const navigate = route.useNavigate()
  const { page = 1, create, edit } = route.useSearch()
  const alerts = useQuery(alertsQuery(organization.id, page))
  const [shown, setShown] = useState<AlertItem>()
  const isEmpty = alerts.data?.results.length === 0
  const edited = alerts.data?.results.find(({ id }) => id === edit)
  const closeForm = (): void =>
    void navigate({ search: (before) => ({ ...before, create: undefined, edit: undefined }), replace: true })
  return (
    <>
      <PageHeader title="Alerts" description={DESCRIPTION} actions={isEmpty ? undefined : newButton} />
      {alerts.error ? (
        <ErrorAlert error={alerts.error} title="The alerts could not be loaded" retry={() => void alerts.refetch()} />
      ) : isEmpty ? (
        <EmptyState title="No alerts" action={newButton}>
          Administrators get an email when the server pauses an export. An alert tells you earlier, and tells others or
          other systems too.
        </EmptyState>
      ) : alerts.data === undefined ? (
        <Stack gap="xs">
          <Skeleton h={112} />
          <Skeleton h={112} />
        </Stack>
      ) : (
        <>
          <Stack gap="xs" component="ul" m={0} p={0} mb="md" aria-label="Alerts">
            {alerts.data.results.map((alert) => (
              <AlertCard
                key={alert.id}
                organization={organization}
                alert={alert}
                page={page}
                onEdit={() => void navigate({ search: (before) => ({ ...before, edit: alert.id }) })}
              />
            ))}
          </Stack>
          <Pager
            count={alerts.data.count}
            limit={PAGE_SIZE}
            page={page}
            noun="alert"
            onChange={(page) => void navigate({ search: (before) => ({ ...before, page }) })}
          />
        </>
      )}
      <Modal
        opened={create === true || edited !== undefined}
        onClose={closeForm}
        title={edited ? `Edit ${edited.name}` : 'New alert'}
        size="lg"
      >
        <AlertForm
          organization={organization}
          alert={edited}
          close={closeForm}
          onSaved={(saved) => {
            closeForm()
            if (saved.secret !== null) setShown(saved)
          }}
        />
      </Modal>
      {shown && <WebhookSecret shown={shown} close={() => setShown(undefined)} />}
    </>
  )
}

function AlertCard({
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
              onConfirm={async () => {
                await answer(client.DELETE('/api/organizations/{organization_id}/alerts/{id}/', { params }))
                await invalidate('alerts')
                notifyDone(`The alert "${name}" is deleted.`)
              }}
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

/** Shows the wanted state at once and turns back on an error. */
function EnabledSwitch({
  organization_id,
  alert: { id, name, enabled },
  page,
}: {
  organization_id: string
  alert: AlertItem
  page: number
}) {
  const { queryKey } = alertsQuery(organization_id, page)
  const toggle = useMutation({
    mutationFn: (enabled: boolean) =>
      answer(
        client.PATCH('/api/organizations/{organization_id}/alerts/{id}/', {
          params: { path: { organization_id, id } },
          body: { enabled },
        }),
      ),
    onMutate: async (enabled) => {
      await queryClient.cancelQueries({ queryKey })
      const before = queryClient.getQueryData(queryKey)
      if (before)
        queryClient.setQueryData(queryKey, {
          ...before,
          results: before.results.map((alert) => (alert.id === id ? { ...alert, enabled } : alert)),
        })
      return before
    },
    onError: (error, enabled, before) => {
      if (before) queryClient.setQueryData(queryKey, before)
      notifyError(error, `"${name}" is still ${enabled ? 'off' : 'on'}`)
    },
    onSettled: () => invalidate('alerts'),
  })
  return (
    <Switch
      checked={enabled}
      aria-label={`${name} is ${enabled ? 'on' : 'off'}`}
      onChange={(event) => toggle.mutate(event.currentTarget.checked)}
    />
  )
}

function TestButton({ organization_id, alert: { id, name } }: { organization_id: string; alert: AlertItem }) {
  const test = useMutation({
    mutationFn: () =>
      answer(
        client.POST('/api/organizations/{organization_id}/alerts/{id}/test/', {
          params: { path: { organization_id, id } },
        }),
      ),
    onSuccess: ({ sent, detail }) =>
      sent
        ? notifyDone(`The test message is sent. ${detail}`)
        : notifyError(new Error(detail), 'The test was not sent'),
    onError: (error) => notifyError(error, 'The test was not sent'),
    onSettled: () => invalidate('alerts'),
  })
  return (
    <ActionButton
      variant="default"
      size="xs"
      aria-label={`Send a test message of ${name}`}
      loading={test.isPending}
      onClick={() => test.mutate()}
    >
      Send test
    </ActionButton>
  )
}
