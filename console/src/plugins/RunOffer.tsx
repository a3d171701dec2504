import { Alert, Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../api.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { CheckIcon } from '../parts/icons.tsx'
import { useChange } from '../parts/use-change.ts'
import { runTestEvents, testEventsQuery } from './queries.ts'
import { RunBadge, TestFailure } from './TestFailure.tsx'

/** Offers to run the saved test events after the source has changed. */
export default function RunOffer({ project, config }: { project: string; config: Schemas['PluginConfig'] }) {
  const saved = useQuery(testEventsQuery(project, config.id))
  const run = useChange({ send: () => runTestEvents(project, config.id) })
  const count = saved.data?.count ?? 0
  if (count === 0) return null
  return (
    <Alert color="blue" icon={<CheckIcon />} title="The source is saved" role="status">
      <Stack gap="xs" align="flex-start">
        {run.data ? (
          <RunBadge run={run.data} />
        ) : (
          <Button size="xs" variant="default" loading={run.isPending} onClick={() => run.mutate()}>
            Run {plural(count, 'test event')}
          </Button>
        )}
        {run.error && <ErrorAlert error={run.error} title="The test events did not run" />}
        {run.data?.results
          .filter(({ passed }) => !passed)
          .map((result) => (
            <Stack key={result.id} gap={4} component="section" aria-label={result.name} w="100%">
              <Text size="sm" fw={600} className="wrap">
                {result.name}
              </Text>
              <TestFailure result={result} />
            </Stack>
          ))}
      </Stack>
    </Alert>
  )
}
