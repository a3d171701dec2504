import { Stack, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { answer, client } from '../api.ts'
import { FormActions } from '../parts/FormActions.tsx'
import { useServerForm } from '../parts/use-server-form.ts'
import { domainsKey } from './queries.ts'

const INVALID = 'Enter a domain such as example.com, with the letters a to z, digits, hyphens and dots.'

/** Adds a domain and opens its page. */
export function DomainForm({ organization_id, close }: { organization_id: string; close: () => void }) {
  const navigate = useNavigate()
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { domain: '' },
    send: ({ domain }) =>
      answer(
        client.POST('/api/organizations/{organization_id}/domains/', {
          params: { path: { organization_id } },
          body: { domain: domain.trim().toLowerCase() },
        }),
      ),
    errorsOf: ({ attr, code, detail }) =>
      attr === 'domain' ? { domain: code === 'invalid_input' ? INVALID : detail } : {},
    refreshes: [domainsKey],
    after: ({ id }) =>
      navigate({
        to: '/organizations/$organization/domains/$domain',
        params: { organization: organization_id, domain: id },
      }),
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Domain"
          description="The part of your email addresses after the @. It cannot be changed later."
          placeholder="example.com"
          required
          maxLength={128}
          data-autofocus
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('domain')}
        />
        <FormActions submit="Add domain" cancel={close} isPending={isPending} error={error} />
      </Stack>
    </form>
  )
}
