/** The actions on an export. Pausing and unpausing show their result before the server responds, and revert it on an error. */
import { Button, Group, List, Modal, Radio, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazy, Suspense, useState } from 'react'
import { answer, client, queryClient, type Schemas } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { notifyDone } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { ActivityIcon, PauseIcon, PlayIcon, TrashIcon } from '../parts/icons.tsx'
import { useChange } from '../parts/use-change.ts'
import { exportQuery, keysOfExport } from './queries.ts'

const BackfillDialog = lazy(() => import('./BackfillDialog.tsx'))

interface ActionProps {
  row: Schemas['BatchExport']
  project: string
}

/** `backfill` decides about the events of the pause. */
type PauseChange = { paused: true } | { paused: false; backfill: boolean }

function usePauseChange({ row, project }: ActionProps) {
  const { queryKey } = exportQuery(project, row.id)
  const params = { path: { project_id: project, id: row.id } }
  return useChange({
    send: async (change: PauseChange): Promise<Schemas['BatchExport']> => {
      if (change.paused)
        return answer(client.POST('/api/projects/{project_id}/batch_exports/{id}/pause/', { params, body: {} }))
      const body = { backfill: change.backfill }
      const unpaused = await answer(
        client.POST('/api/projects/{project_id}/batch_exports/{id}/unpause/', { params, body }),
      )
      notifyDone(unpausedText(unpaused))
      return unpaused
    },
    failed: ({ paused }) => (paused ? 'The export was not paused' : 'The export was not unpaused'),
    optimistic: {
      queryKey,
      apply: ({ paused }) =>
        queryClient.setQueryData(
          queryKey,
          (before) =>
            before && {
              ...before,
              paused,
              last_paused_at: paused ? new Date().toISOString() : before.last_paused_at,
            },
        ),
    },
    refreshes: keysOfExport(project, row.id),
  })
}

const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** A sentence about the events of the pause. */
function unpausedText({ skipped_events: skipped }: Schemas['BatchExportUnpaused']): string {
  if (!skipped) return 'The export continues. All events that arrived during the pause are exported.'
  if (skipped.exact && skipped.count === 0) return 'The export continues. No events arrived during the pause.'
  const range = times.formatRange(new Date(skipped.start_at), new Date(skipped.end_at))
  const number = `${skipped.exact ? '' : 'At least '}${plural(skipped.count, 'event')}`
  return `The export continues. ${number} that arrived in the pause (${range}) ${skipped.count === 1 ? 'is' : 'are'} skipped.`
}

/** Delivers everything up to now, without waiting for the end of the window. */
export function RunButton({ row, project }: ActionProps) {
  const params = { path: { project_id: project, id: row.id } }
  const run = useChange({
    send: () => answer(client.POST('/api/projects/{project_id}/batch_exports/{id}/run/', { params })),
    done: 'The run delivers everything up to now.',
    failed: 'The run was not started',
    refreshes: keysOfExport(project, row.id),
  })
  return (
    <ActionButton leftSection={<PlayIcon size={16} />} loading={run.isPending} onClick={() => run.mutate()}>
      Run now
    </ActionButton>
  )
}

export function PauseButton(props: ActionProps) {
  const { mutate } = usePauseChange(props)
  return (
    <ConfirmButton
      variant="default"
      leftSection={<PauseIcon size={16} />}
      title={`Pause "${props.row.name}"?`}
      effect={
        <List size="sm" spacing={4}>
          <List.Item>No new runs are scheduled. A run in progress continues.</List.Item>
          <List.Item>Events that arrived before the pause are exported when you unpause.</List.Item>
          <List.Item>For events that arrive during the pause, you choose when you unpause.</List.Item>
        </List>
      }
      confirm="Pause export"
      onConfirm={async () => mutate({ paused: true })}
    >
      Pause
    </ConfirmButton>
  )
}

/** Asks whether to export or skip the events that arrived during the pause. */
export function UnpauseButton(props: ActionProps) {
  const { mutate } = usePauseChange(props)
  const [opened, { open, close }] = useDisclosure(false)
  const [gap, setGap] = useState('export')
  return (
    <>
      <ActionButton leftSection={<PlayIcon size={16} />} onClick={open}>
        Unpause
      </ActionButton>
      <Modal opened={opened} onClose={close} title={`Unpause "${props.row.name}"?`}>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            close()
            mutate({ paused: false, backfill: gap === 'export' })
          }}
        >
          <Stack>
            <Text size="sm">
              The schedule continues. Events that arrived before the pause are exported first. Choose what happens to
              the events that arrived during the pause.
            </Text>
            <Radio.Group label="Events of the pause" value={gap} onChange={setGap}>
              <Stack gap="xs" mt="xs">
                <Radio
                  value="export"
                  label="Export them too"
                  description="They are delivered window by window, as after a downtime."
                />
                <Radio
                  value="skip"
                  label="Skip them"
                  description="They are not delivered. You see how many, and so does the log. A backfill can export them later."
                />
              </Stack>
            </Radio.Group>
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit">Unpause export</Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  )
}

export function BackfillButton(props: ActionProps) {
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" leftSection={<ActivityIcon size={16} />} onClick={open}>
        Backfill
      </Button>
      {opened && (
        <Suspense>
          <BackfillDialog {...props} close={close} />
        </Suspense>
      )}
    </>
  )
}

export function DeleteButton({ row, project, onDeleted }: ActionProps & { onDeleted: () => void }) {
  return (
    <ConfirmButton
      danger
      variant="outline"
      leftSection={<TrashIcon size={16} />}
      title={`Delete "${row.name}"?`}
      effect="The export, its schedule, its runs and its log are deleted, and its backfills are cancelled. Delivered data stays where it is. This cannot be undone."
      confirm="Delete export"
      typed={row.name}
      onConfirm={async () => {
        await answer(
          client.DELETE('/api/projects/{project_id}/batch_exports/{id}/', {
            params: { path: { project_id: project, id: row.id } },
          }),
        )
        // First leave the page: its queries would ask for the deleted export again.
        onDeleted()
        notifyDone(`Deleted the export "${row.name}".`)
        queryClient.removeQueries({ queryKey: ['export', project, row.id] })
        await queryClient.invalidateQueries({ queryKey: ['exports', project] })
      }}
    >
      Delete
    </ConfirmButton>
  )
}
