import { useState } from 'react'
import { answer, client, type Schemas } from '../api.ts'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { notifyDone, notifyError } from '../parts/ErrorAlert.tsx'
import { RunBadge } from './badges.tsx'
import { invalidateExport } from './queries.ts'
import { isActive, windowText } from './run-status.ts'

type Run = Schemas['BatchExportRun']

/** Retry or cancel. Both ask for confirmation. */
export function RunActions({ run, row, project }: { run: Run; row: Schemas['BatchExport']; project: string }) {
  const [cancelling, setCancelling] = useState(false)
  const params = { path: { project_id: project, batch_export_id: row.id, id: run.id } }
  const window = windowText(run)
  if (!isActive(run))
    return (
      <ConfirmButton
        size="compact-sm"
        variant="default"
        title="Retry this run?"
        effect={
          <>
            The events of the window <strong>{window}</strong> are exported again. Destinations that support it do not
            store an event twice.
          </>
        }
        confirm="Retry run"
        onConfirm={async () => {
          await answer(
            client.POST('/api/projects/{project_id}/batch_exports/{batch_export_id}/runs/{id}/retry/', { params }),
          )
          await invalidateExport(project, row.id)
          notifyDone(`Retrying the window ${window}.`)
        }}
      >
        Retry
      </ConfirmButton>
    )
  if (cancelling) return <RunBadge run={run} cancelling />
  return (
    <ConfirmButton
      size="compact-sm"
      variant="outline"
      danger
      title="Cancel this run?"
      effect={
        <>
          The export of the window <strong>{window}</strong> stops. Delivered rows stay at the destination. If the run
          belongs to a backfill, the entire backfill is cancelled. The schedule continues.
        </>
      }
      confirm="Cancel run"
      onConfirm={async () => {
        setCancelling(true)
        // The dialog closes at once. The row says "Cancelling" until the server answers.
        void answer(
          client.POST('/api/projects/{project_id}/batch_exports/{batch_export_id}/runs/{id}/cancel/', { params }),
        )
          .catch((error) => notifyError(error, 'The run was not cancelled'))
          .then(() => invalidateExport(project, row.id))
          .finally(() => setCancelling(false))
      }}
    >
      Cancel
    </ConfirmButton>
  )
}
