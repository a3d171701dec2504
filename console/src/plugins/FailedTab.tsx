import { Button, Group, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../api.ts'
import { ActionsHeader, DataTable } from '../organization/DataTable.tsx'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { RetryIcon } from '../parts/icons.tsx'
import { Pager } from '../parts/Pager.tsx'
import { StateBadge } from '../parts/StateBadge.tsx'
import { Time } from '../parts/Time.tsx'
import { useChange } from '../parts/use-change.ts'
import { FAILED_LIMIT, failedKey, failedQuery, replay, replayAll } from './queries.ts'

interface FailedProps {
  project: string
  config: Schemas['PluginConfig']
}

const OFF = 'The plugin is off. Turn it on, then replay its deliveries.'

/** The events that the plugin could not deliver, newest first. */
export default function FailedTab({
  project,
  config,
  page,
  setPage,
}: FailedProps & { page: number; setPage: (page: number) => void }) {
  const failed = useQuery(failedQuery(project, config.id, page))
  const disabledReason = config.enabled ? undefined : OFF
  const all = useChange({
    send: () => replayAll(project, config.id),
    done: ({ queued }) => `${plural(queued, 'delivery', 'deliveries')} will be replayed.`,
    refreshes: [failedKey(project, config.id)],
  })
  if (failed.error) return <ErrorAlert error={failed.error} retry={() => void failed.refetch()} />
  if (failed.data?.count === 0)
    return (
      <EmptyState title="No delivery has failed for good">
        Events for which onEvent, exportEvents or composeWebhook failed appear here. The latest 1,000 are kept for 30
        days.
      </EmptyState>
    )
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          A replay delivers an event once more. It leaves the list when the delivery succeeds.
        </Text>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<RetryIcon size={14} />}
            loading={failed.isFetching}
            onClick={() => void failed.refetch()}
          >
            Reload list
          </Button>
          <ConfirmButton
            size="xs"
            disabledReason={disabledReason}
            title="Replay all failed deliveries?"
            effect="The events are delivered again, the oldest first. A service that has got one of them already gets it twice."
            confirm="Replay all"
            onConfirm={() => all.mutateAsync()}
          >
            Replay all
          </ConfirmButton>
        </Group>
      </Group>
      <DataTable
        label="Failed deliveries, newest first"
        columns={['Event', 'Function', 'Error', 'Attempts', 'Failed', ActionsHeader]}
        minWidth={760}
        loading={failed.isPending}
      >
        {failed.data?.results.map((delivery) => (
          <DeliveryRow
            key={delivery.id}
            project={project}
            config={config}
            delivery={delivery}
            disabledReason={disabledReason}
          />
        ))}
      </DataTable>
      <Pager
        count={failed.data?.count ?? 0}
        limit={FAILED_LIMIT}
        page={page}
        onChange={setPage}
        noun="delivery"
        nouns="deliveries"
      />
    </Stack>
  )
}

function DeliveryRow({
  project,
  config,
  delivery,
  disabledReason,
}: FailedProps & { delivery: Schemas['PluginFailedDelivery']; disabledReason: string | undefined }) {
  const again = useChange({
    send: () => replay(project, config.id, delivery.id),
    failed: 'The delivery is not replayed',
    refreshes: [failedKey(project, config.id)],
  })
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" className="wrap">
          {delivery.event}
        </Text>
        <Text size="xs" c="dimmed" className="mono wrap">
          {delivery.event_uuid}
        </Text>
      </Table.Td>
      <Table.Td className="mono">{delivery.function}</Table.Td>
      <Table.Td>
        <Text size="sm" className="wrap" lineClamp={3}>
          {delivery.error}
        </Text>
      </Table.Td>
      <Table.Td>{delivery.attempts}</Table.Td>
      <Table.Td>
        <Time value={delivery.failed_at} />
      </Table.Td>
      <Table.Td ta="right">
        {delivery.replay_requested_at !== null ? (
          <StateBadge color="blue">Waiting</StateBadge>
        ) : (
          <ActionButton
            size="xs"
            variant="default"
            loading={again.isPending}
            disabledReason={disabledReason}
            onClick={() => again.mutate()}
          >
            Replay
          </ActionButton>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
