import { Badge, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { PlayIcon } from '../parts/icons.tsx'
import { Section } from '../parts/Section.tsx'
import { useChange } from '../parts/use-change.ts'
import { deleteTestEvent, MAX_TEST_EVENTS, runTestEvents, testEventsQuery, updateTestEvent } from './queries.ts'
import { RunBadge, type RunResult, TestFailure, TestState } from './TestFailure.tsx'

interface ConfigProps {
  project: string
  config: Schemas['PluginConfig']
}

/** The saved test events of a configuration, and their results. */
export function SavedTests({ project, config, disabledReason }: ConfigProps & { disabledReason: string | undefined }) {
  const saved = useQuery(testEventsQuery(project, config.id))
  const run = useChange({ send: () => runTestEvents(project, config.id) })
  const results = run.data?.results ?? []
  return (
    <Section
      title="Saved test events"
      state={run.data && <RunBadge run={run.data} />}
      description={`Up to ${MAX_TEST_EVENTS} events with the results that you expect. Run a test with one event, then save it.`}
      actions={
        <ActionButton
          leftSection={<PlayIcon size={16} />}
          variant="default"
          loading={run.isPending}
          disabledReason={saved.data?.count === 0 ? 'No test event is saved.' : disabledReason}
          onClick={() => run.mutate()}
        >
          Run all
        </ActionButton>
      }
    >
      {saved.error && <ErrorAlert error={saved.error} retry={() => void saved.refetch()} />}
      {run.error && <ErrorAlert error={run.error} title="The test events did not run" />}
      {saved.data && saved.data.count > 0 && (
        <Stack gap="xs" component="ul" m={0} p={0} aria-label="Saved test events">
          {saved.data.results.map((test) => (
            <SavedTest
              key={test.id}
              project={project}
              config={config}
              test={test}
              result={results.find(({ id }) => id === test.id)}
              rerun={() => run.mutate()}
            />
          ))}
        </Stack>
      )}
    </Section>
  )
}

function SavedTest({
  project,
  config,
  test,
  result,
  rerun,
}: ConfigProps & { test: Schemas['PluginTestEvent']; result: RunResult | undefined; rerun: () => void }) {
  const refreshes = [testEventsQuery(project, config.id).queryKey]
  const remove = useChange({ send: () => deleteTestEvent(project, config.id, test.id), refreshes })
  const expect = useChange({
    send: (expected: Schemas['PluginTestExpectation']) => updateTestEvent(project, config.id, test.id, { expected }),
    refreshes,
    after: rerun,
  })
  return (
    <li style={{ listStyle: 'none' }} aria-label={test.name}>
      <Group justify="space-between" gap="xs">
        <Group gap="xs" miw={0}>
          <Text size="sm" fw={600} className="wrap">
            {test.name}
          </Text>
          <Badge variant="default" tt="none">
            {test.event.event}
          </Badge>
          <TestState result={result} />
        </Group>
        <ConfirmButton
          size="xs"
          variant="subtle"
          danger
          title={`Delete "${test.name}"?`}
          effect="The event and its expected result are deleted."
          confirm="Delete test event"
          onConfirm={() => remove.mutateAsync()}
        >
          Delete
        </ConfirmButton>
      </Group>
      <TestFailure result={result} accept={(expected) => expect.mutateAsync(expected)} />
    </li>
  )
}
