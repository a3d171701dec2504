import { Switch } from '@mantine/core'
import { answer, client, queryClient, type Schemas } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { notifyDone, notifyError } from '../parts/ErrorAlert.tsx'
import { useChange } from '../parts/use-change.ts'
import { alertsKey, alertsQuery } from './queries.ts'

interface ActionProps {
  organization_id: string
  alert: Schemas['Alert']
}

/** Shows the wanted state at once and turns back on an error. */
export function EnabledSwitch({ organization_id, alert: { id, name, enabled }, page }: ActionProps & { page: number }) {
  const { queryKey } = alertsQuery(organization_id, page)
  const toggle = useChange({
    send: (enabled: boolean) =>
      answer(
        client.PATCH('/api/organizations/{organization_id}/alerts/{id}/', {
          params: { path: { organization_id, id } },
          body: { enabled },
        }),
      ),
    failed: (enabled) => `"${name}" is still ${enabled ? 'off' : 'on'}`,
    refreshes: [alertsKey],
    optimistic: {
      queryKey,
      apply: (enabled) =>
        queryClient.setQueryData(
          queryKey,
          (before) =>
            before && {
              ...before,
              results: before.results.map((alert) => (alert.id === id ? { ...alert, enabled } : alert)),
            },
        ),
    },
  })
  return (
    <Switch
      checked={enabled}
      aria-label={`${name} is ${enabled ? 'on' : 'off'}`}
      onChange={(event) => toggle.mutate(event.currentTarget.checked)}
    />
  )
}

const NOT_SENT = 'The test was not sent'

export function TestButton({ organization_id, alert: { id, name } }: ActionProps) {
  const test = useChange({
    send: () =>
      answer(
        client.POST('/api/organizations/{organization_id}/alerts/{id}/test/', {
          params: { path: { organization_id, id } },
        }),
      ),
    failed: NOT_SENT,
    refreshes: [alertsKey],
    after: ({ sent, detail }) =>
      sent ? notifyDone(`The test message is sent. ${detail}`) : notifyError(new Error(detail), NOT_SENT),
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
