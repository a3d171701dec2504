import { Button, Group, TextInput } from '@mantine/core'
import type { Schemas } from '../api.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { useServerForm } from '../parts/use-server-form.ts'
import { createTestEvent, testEventsQuery } from './queries.ts'

/** The outputs of a test, as a test event expects them. */
function expectationOf({ results }: Schemas['PluginTestResult']): Schemas['PluginTestExpectation'] {
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
}: {
  project: string
  config: Schemas['PluginConfig']
  event: Schemas['PluginSampleEvent']
  result: Schemas['PluginTestResult']
}) {
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { name: '' },
    send: ({ name }) => createTestEvent(project, config.id, { name, event, expected: expectationOf(result) }),
    done: (_saved, { name }) => `"${name}" is saved as a test event.`,
    refreshes: [testEventsQuery(project, config.id).queryKey],
    after: (_saved, form) => form.reset(),
  })
  return (
    <form onSubmit={submit}>
      <Group align="flex-start" gap="xs">
        <TextInput
          aria-label="Name of the test event"
          placeholder="Removes the email address"
          maxLength={100}
          w={260}
          {...form.getInputProps('name')}
        />
        <Button type="submit" variant="default" loading={isPending} disabled={form.values.name.trim() === ''}>
          Save as test event
        </Button>
      </Group>
      {error && <ErrorAlert error={error} title="The test event was not saved" />}
    </form>
  )
}
