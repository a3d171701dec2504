import { Modal, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Schemas } from '../api.ts'
import { PAGE_SIZE } from '../organization/queries.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { PlusIcon } from '../parts/icons.tsx'
import { ADMINISTRATOR, needsLevel } from '../parts/levels.ts'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Pager } from '../parts/Pager.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { AlertCard } from './AlertCard.tsx'
import { AlertForm } from './AlertForm.tsx'
import { alertsQuery } from './queries.ts'
import { WebhookSecret } from './WebhookSecret.tsx'

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
  const [shown, setShown] = useState<Schemas['Alert']>()
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
