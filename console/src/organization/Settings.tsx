/** The settings of an organization that its administrators change. */
import { Stack, Switch, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { answer, client, meQuery, organizationQuery, organizationsQuery, queryClient, type Schemas } from '../api.ts'
import { ConfirmDialog } from '../parts/ConfirmButton.tsx'
import { FormActions } from '../parts/FormActions.tsx'
import { useChange } from '../parts/use-change.ts'
import { useServerForm } from '../parts/use-server-form.ts'
import { useMe } from '../shell/workspace.ts'
import { useDialogItem } from './dialog-item.ts'

type Organization = Schemas['Organization']
type Changes = Schemas['OrganizationWrite']

interface SettingProps {
  organization: Organization
  reason: string | undefined
}

const save = (id: string, body: Changes): Promise<Organization> =>
  answer(client.PATCH('/api/organizations/{id}/', { params: { path: { id } }, body }))

const store = (organization: Organization): void =>
  void queryClient.setQueryData(organizationQuery(organization.id).queryKey, organization)

export function NameForm({ organization, reason }: SettingProps) {
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { name: organization.name },
    send: (changes) => save(organization.id, changes),
    done: 'The name is saved.',
    refreshes: [organizationsQuery.queryKey, meQuery.queryKey],
    after: (saved, form) => {
      store(saved)
      form.setValues({ name: saved.name })
    },
  })
  const isSame = form.values.name.trim() === organization.name
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label="Name"
          required
          maxLength={64}
          readOnly={reason !== undefined}
          {...form.getInputProps('name')}
        />
        <FormActions
          submit="Save name"
          isPending={isPending}
          error={error}
          disabledReason={reason ?? (isSame ? 'The name has not changed.' : undefined)}
        />
      </Stack>
    </form>
  )
}

/** Shows the new value at once. On an error the old one comes back. */
function useSetting({ id }: Organization) {
  const { queryKey } = organizationQuery(id)
  return useChange({
    send: (changes: Changes) => save(id, changes),
    done: 'The setting is saved.',
    failed: 'The setting was not saved',
    optimistic: {
      queryKey,
      apply: (changes) => queryClient.setQueryData(queryKey, (before) => before && { ...before, ...changes }),
    },
    after: store,
  })
}

export function TwoFactorSwitch({ organization, reason }: SettingProps) {
  const me = useMe()
  const navigate = useNavigate()
  const setting = useSetting(organization)
  const question = useDialogItem<boolean>()
  const enforce = async (enforce_2fa: boolean): Promise<void> => {
    await setting.mutateAsync({ enforce_2fa })
    // The server refuses every further request of this user for the organization.
    if (enforce_2fa && !me.is_2fa_enabled) await navigate({ to: '/account/security' })
  }
  return (
    <>
      <Switch
        label="Require two-factor authentication"
        description={
          reason ??
          'Members without a second factor must set one up before they can open this organization. Members who sign in with single sign-on of a verified domain are exempt. Existing API keys keep working.'
        }
        checked={organization.enforce_2fa === true}
        disabled={reason !== undefined}
        onChange={(event) => question.ask(event.currentTarget.checked)}
      />
      <ConfirmDialog
        opened={question.opened}
        close={question.close}
        title={question.item ? 'Require two-factor authentication?' : 'Stop requiring two-factor authentication?'}
        effect={
          question.item
            ? `Members without a second factor lose access to ${organization.name} until they set one up.${
                me.is_2fa_enabled ? '' : ' This includes you: you are asked to set it up next.'
              } The list of members shows who has one.`
            : 'Members can sign in with their password alone. Second factors that exist stay.'
        }
        confirm={question.item ? 'Require two-factor' : 'Stop requiring it'}
        onConfirm={() => enforce(question.item === true)}
      />
    </>
  )
}

export function JoinMailSwitch({ organization, reason }: SettingProps) {
  const setting = useSetting(organization)
  return (
    <Switch
      label="Email members when someone joins"
      description={reason ?? 'Members of the organization receive an email when a new member joins.'}
      checked={organization.is_member_join_email_enabled}
      disabled={reason !== undefined}
      onChange={(event) => setting.mutate({ is_member_join_email_enabled: event.currentTarget.checked })}
    />
  )
}
