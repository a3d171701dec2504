import { Group, Text } from '@mantine/core'
import { answer, client } from '../api.ts'
import { ConfigFields } from '../exports/ConfigFields.tsx'
import { TestResult } from '../exports/ConnectionTest.tsx'
import { fieldsBeside } from '../exports/config-schema.ts'
import { sentConfig } from '../exports/form-config.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { Section } from '../parts/Section.tsx'
import { useOrganization } from '../shell/workspace.ts'
import type { CredentialProps } from './queries.ts'
import { useConfigForm } from './use-config-form.ts'

/** Asks for the settings that every export must have. The other ones have defaults. */
export function CredentialTest({ integration }: CredentialProps) {
  const { id: organization_id } = useOrganization()
  const fields = fieldsBeside(integration.kind, integration.config).filter(({ required }) => required)
  const {
    submit,
    ref,
    configFields,
    isPending,
    error,
    answer: result,
  } = useConfigForm({
    fields,
    initialValues: { name: '', config: {} },
    send: ({ config }) =>
      answer(
        client.POST('/api/organizations/{organization_id}/integrations/{id}/test/', {
          params: { path: { organization_id, id: integration.id } },
          body: { config: sentConfig(fields, config) },
        }),
      ),
  })
  return (
    <form ref={ref} onSubmit={submit}>
      <Section
        title="Test"
        description={
          fields.length
            ? 'Connects with the stored credentials, writes to this place and removes what it wrote.'
            : 'Connects with the stored credentials.'
        }
      >
        {fields.length > 0 && <ConfigFields {...configFields} />}
        <Group>
          <ActionButton type="submit" variant="default" loading={isPending}>
            Test credentials
          </ActionButton>
          <Text size="sm" c="dimmed" role="status">
            {isPending ? 'Testing each step…' : ''}
          </Text>
        </Group>
        {result && <TestResult result={result} />}
        {error !== null && <ErrorAlert error={error} />}
      </Section>
    </form>
  )
}
