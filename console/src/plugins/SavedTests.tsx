import { Alert, Badge, Button, Group, Stack, Table, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient, type Schemas } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { ErrorAlert, notifyDone } from '../parts/ErrorAlert.tsx'
import { errorBeside, fieldError } from '../parts/field-error.ts'
import { plural } from '../parts/format.ts'
import { CheckIcon, PlayIcon } from '../parts/icons.tsx'
import { Section } from '../parts/Section.tsx'
import { StateBadge } from '../parts/StateBadge.tsx'
import {
  createTestEvent,
  deleteTestEvent,
  MAX_TEST_EVENTS,
  runTestEvents,
  testEventsQuery,
  updateTestEvent,
} from './queries.ts'

interface Place {
  project: string
  config: Schemas['PluginConfig']
}

type Sample = Schemas['PluginSampleEvent']
type Run = Schemas['PluginTestEventRun']
type RunResult = Run['results'][number]

const refresh = ({ project, config }: Place): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: testEventsQuery(project, config.id).queryKey })

/** The outputs of a test, as a test event expects them. */
export function expectationOf({ results }: Schemas['PluginTestResult']): Schemas['PluginTestExpectation'] {
  const of = (name: string) => results.filter((call) => call.function === name)
  const outputs = (name: string) => of(name).flatMap(({ output }) => (output === null ? [] : [output]))
  return {
    ...(of('processEvent').length > 0 && { events: outputs('processEvent') }),
    ...(of('composeWebhook').length > 0 && { webhooks: outputs('composeWebhook') }),
  }
}

/** Saves the event of a test with its result. */
export function SaveTestEvent({
  project,
  config,
  event,
  result,
}: Place & { event: Sample; result: Schemas['PluginTestResult'] }) {
  const [name, setName] = useState('')
  const save = useMutation({
    mutationFn: () => createTestEvent(project, config.id, { name, event, expected: expectationOf(result) }),
    onSuccess: async () => {
      notifyDone(`"${name}" is saved as a test event.`)
      setName('')
      await refresh({ project, config })
    },
  })
  const rest = errorBeside(save.error, 'name')
  return (
    <form
      onSubmit={(submitted) => {
        submitted.preventDefault()
        save.mutate()
      }}
    >
      <Group align="flex-start" gap="xs">
        <TextInput
          aria-label="Name of the test event"
          placeholder="Removes the email address"
          maxLength={100}
          value={name}
          error={fieldError(save.error, 'name')}
          onChange={(changed) => {
            setName(changed.currentTarget.value)
            if (save.error) save.reset()
          }}
          w={260}
        />
        <Button type="submit" variant="default" loading={save.isPending} disabled={name.trim() === ''}>
          Save as test event
        </Button>
      </Group>
      {rest !== null && <ErrorAlert error={rest} title="The test event was not saved" />}
    </form>
  )
}

/** The saved test events of a configuration, and their results. */
export function SavedTests({ project, config, disabledReason }: Place & { disabledReason: string | undefined }) {
  const saved = useQuery(testEventsQuery(project, config.id))
  const run = useMutation({ mutationFn: () => runTestEvents(project, config.id) })
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
            <li key={test.id} style={{ listStyle: 'none' }} aria-label={test.name}>
              <Group justify="space-between" gap="xs">
                <Group gap="xs" miw={0}>
                  <Text size="sm" fw={600} className="wrap">
                    {test.name}
                  </Text>
                  <Badge variant="default" tt="none">
                    {test.event.event}
                  </Badge>
                  <TestState result={results.find(({ id }) => id === test.id)} />
                </Group>
                <ConfirmButton
                  size="xs"
                  variant="subtle"
                  danger
                  title={`Delete "${test.name}"?`}
                  effect="The event and its expected result are deleted."
                  confirm="Delete test event"
                  onConfirm={async () => {
                    await deleteTestEvent(project, config.id, test.id)
                    await refresh({ project, config })
                  }}
                >
                  Delete
                </ConfirmButton>
              </Group>
              <Failure
                result={results.find(({ id }) => id === test.id)}
                accept={async (expected) => {
                  await updateTestEvent(project, config.id, test.id, { expected })
                  await refresh({ project, config })
                  run.mutate()
                }}
              />
            </li>
          ))}
        </Stack>
      )}
    </Section>
  )
}

function RunBadge({ run: { passed, failed } }: { run: Run }) {
  return failed === 0 ? (
    <StateBadge color="green">{`${passed} passed`}</StateBadge>
  ) : (
    <StateBadge color="red">{`${failed} of ${passed + failed} failed`}</StateBadge>
  )
}

function TestState({ result }: { result: RunResult | undefined }) {
  if (!result) return null
  return result.passed ? <StateBadge color="green">Passed</StateBadge> : <StateBadge color="red">Failed</StateBadge>
}

const VALUE_LENGTH = 300
const shortJson = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length > VALUE_LENGTH ? `${text.slice(0, VALUE_LENGTH)}…` : text
}

/** Why a test event failed. */
function Failure({
  result,
  accept,
}: {
  result: RunResult | undefined
  accept?: (expected: Schemas['PluginTestExpectation']) => Promise<void>
}) {
  if (!result || result.passed) return null
  const { error, differences, actual, name } = result
  if (error !== null)
    return (
      <Text size="sm" c="var(--mantine-color-error)" className="wrap">
        {error}
      </Text>
    )
  return (
    <Stack gap={4}>
      <Table.ScrollContainer minWidth={480} type="native" pos="relative">
        <Table aria-label={`Differences of ${name}`} fz="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Path</Table.Th>
              <Table.Th>Expected</Table.Th>
              <Table.Th>Actual</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {differences.map(({ path, kind, expected, actual }) => (
              <Table.Tr key={path}>
                <Table.Td className="mono wrap">{path}</Table.Td>
                <Table.Td className="mono wrap">{kind === 'unexpected' ? 'nothing' : shortJson(expected)}</Table.Td>
                <Table.Td className="mono wrap">{kind === 'missing' ? 'nothing' : shortJson(actual)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {accept && actual && (
        <Group>
          <ConfirmButton
            size="xs"
            variant="default"
            title={`Expect the present result of "${name}"?`}
            effect="The result of this run replaces the expected one."
            confirm="Replace expected result"
            onConfirm={() => accept(actual)}
          >
            Expect this result
          </ConfirmButton>
        </Group>
      )}
    </Stack>
  )
}

/** Offers to run the saved test events after the source has changed. */
export function RunOffer({ project, config }: Place) {
  const saved = useQuery(testEventsQuery(project, config.id))
  const run = useMutation({ mutationFn: () => runTestEvents(project, config.id) })
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
              <Failure result={result} />
            </Stack>
          ))}
      </Stack>
    </Alert>
  )
}
