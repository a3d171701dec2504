import { Button, Card, Group, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../api.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { runQuery } from './queries.ts'
import { RunDetails } from './RunDetails.tsx'
import { windowText } from './run-status.ts'

/** A run that a link names and that is not on this page. */
export function LinkedRun({
  id,
  project,
  row,
  close,
}: {
  id: string
  project: string
  row: Schemas['BatchExport']
  close: () => void
}) {
  const run = useQuery(runQuery(project, row.id, id))
  return (
    <Card withBorder component="section" aria-label="Linked run">
      <Group justify="space-between" mb="sm">
        <Text fw={600}>{run.data ? windowText(run.data) : 'Linked run'}</Text>
        <Button size="compact-sm" variant="default" onClick={close}>
          Close run
        </Button>
      </Group>
      {run.error && <ErrorAlert error={run.error} />}
      {run.data ? (
        <RunDetails run={run.data} row={row} project={project} />
      ) : (
        run.isPending && <Skeleton height={160} />
      )}
    </Card>
  )
}
