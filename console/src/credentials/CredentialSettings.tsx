import { Group, TextInput } from '@mantine/core'
import { answer, client } from '../api.ts'
import { ConfigFields } from '../exports/ConfigFields.tsx'
import { credentialFields, flatConfig } from '../exports/config-schema.ts'
import { changedConfig } from '../exports/form-config.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { Section } from '../parts/Section.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { type CredentialProps, INTEGRATION_KEYS, storeIntegration } from './queries.ts'
import { useConfigForm } from './use-config-form.ts'

/** Only what changed is sent, so secrets stay as they are unless they are typed again. */
export function CredentialSettings({ integration }: CredentialProps) {
  const { id: organization_id } = useOrganization()
  const fields = credentialFields(integration.kind)
  const initial = flatConfig(fields, { ...integration.config })
  const { form, submit, ref, configFields, isPending, error } = useConfigForm({
    fields,
    isSaved: true,
    initialValues: { name: integration.name, config: initial },
    send: ({ name, config }) => {
      const changed = changedConfig(fields, initial, config)
      return answer(
        client.PATCH('/api/organizations/{organization_id}/integrations/{id}/', {
          params: { path: { organization_id, id: integration.id } },
          body: {
            ...(name !== integration.name && { name }),
            ...(Object.keys(changed).length > 0 && { config: changed }),
          },
        }),
      )
    },
    done: ({ name }) => `Saved the credentials "${name}". Exports use them from their next attempt on.`,
    refreshes: INTEGRATION_KEYS,
    after: (saved) => storeIntegration(organization_id, saved),
  })
  const { name, config } = form.values
  const isChanged = name !== integration.name || Object.keys(changedConfig(fields, initial, config)).length > 0
  return (
    <form ref={ref} onSubmit={submit}>
      <Section
        title="Settings"
        description="To rotate a secret, type its new value. If the secrets are sent to another address, type all of them again."
      >
        <TextInput label="Name" required maxLength={400} autoComplete="off" {...form.getInputProps('name')} />
        <ConfigFields {...configFields} />
        {error !== null && <ErrorAlert error={error} />}
        <Group justify="flex-end">
          <ActionButton
            type="submit"
            loading={isPending}
            disabledReason={isChanged ? undefined : 'Nothing has changed.'}
          >
            Save credentials
          </ActionButton>
        </Group>
      </Section>
    </form>
  )
}
