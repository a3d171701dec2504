import { Alert, Divider, Group, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { answer, client, organizationQuery, queryClient, type Schemas, WorkspaceError } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ConfirmButton, ConfirmDialog } from '../parts/ConfirmButton.tsx'
import { Copy } from '../parts/Copy.tsx'
import { ErrorAlert, messageOf, notifyDone, notifyError } from '../parts/ErrorAlert.tsx'
import { count } from '../parts/format.ts'
import { InfoIcon } from '../parts/icons.tsx'
import { ADMINISTRATOR, needsLevel, OWNER } from '../parts/levels.ts'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Section } from '../parts/Section.tsx'
import { Time } from '../parts/Time.tsx'
import { useMe, useOrganization } from '../shell/workspace.ts'
import { useDialogItem } from './dialog-item.ts'
import { openAnotherOrganization } from './leave.ts'
import { invalidate } from './queries.ts'

type Organization = Schemas['Organization']
type Changes = Schemas['OrganizationWrite']

const save = (id: string, body: Changes): Promise<Organization> =>
  answer(client.PATCH('/api/organizations/{id}/', { params: { path: { id } }, body }))

export function SettingsPage() {
  const organization = useOrganization()
  const reason = needsLevel(organization.membership_level, ADMINISTRATOR)
  return (
    <>
      <PageHeader title="Settings" description={`The organization ${organization.name}`} />
      <Stack maw={720}>
        {reason !== undefined && (
          <Alert color="blue" icon={<InfoIcon />} title="You can read these settings, but not change them">
            {reason}
          </Alert>
        )}
        <Section title="General">
          <NameForm organization={organization} reason={reason} />
          <Divider />
          <Fact label="Organization id">
            <Copy value={organization.id} label="organization id" />
          </Fact>
          <Fact label="Slug">
            <Copy value={organization.slug} label="slug" />
          </Fact>
          <Fact label="Members">{count(Number(organization.member_count))}</Fact>
          <Fact label="Created">
            <Time value={organization.created_at} format="absolute" />
          </Fact>
        </Section>
        <Section title="Security">
          <TwoFactorSwitch organization={organization} reason={reason} />
        </Section>
        <Section title="Email">
          <JoinMailSwitch organization={organization} reason={reason} />
        </Section>
        <Section title="Delete the organization">
          <Text size="sm">
            Deletes {organization.name} with its projects, events, exports, plugins, domains, invites and memberships.
            Nothing can be restored. Members keep their accounts.
          </Text>
          <Group>
            <DeleteButton organization={organization} />
          </Group>
        </Section>
      </Stack>
    </>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Group gap="xs" align="baseline" wrap="wrap">
      <Text size="sm" c="dimmed" w={130}>
        {label}
      </Text>
      <Text size="sm" component="div" miw={0} className="wrap">
        {children}
      </Text>
    </Group>
  )
}

function NameForm({ organization, reason }: { organization: Organization; reason: string | undefined }) {
  const [name, setName] = useState(organization.name)
  useEffect(() => setName(organization.name), [organization.name])
  const rename = useMutation({
    mutationFn: () => save(organization.id, { name }),
    onSuccess: async (saved) => {
      queryClient.setQueryData(organizationQuery(saved.id).queryKey, saved)
      await invalidate('organizations', 'me')
      notifyDone('The name is saved.')
    },
  })
  const fieldError = rename.error instanceof WorkspaceError && rename.error.attr === 'name' ? rename.error : null
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        rename.mutate()
      }}
    >
      <Stack gap="sm">
        <TextInput
          label="Name"
          required
          maxLength={64}
          readOnly={reason !== undefined}
          value={name}
          error={fieldError && messageOf(fieldError)}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {rename.error && !fieldError && <ErrorAlert error={rename.error} />}
        <Group>
          <ActionButton
            type="submit"
            loading={rename.isPending}
            disabledReason={reason ?? (name.trim() === organization.name ? 'The name has not changed.' : undefined)}
          >
            Save name
          </ActionButton>
        </Group>
      </Stack>
    </form>
  )
}

/** Shows the new value at once. On an error the old one comes back. */
function useSetting(organization: Organization) {
  const { queryKey } = organizationQuery(organization.id)
  return useMutation({
    mutationFn: (changes: Changes) => save(organization.id, changes),
    onMutate: async (changes) => {
      await queryClient.cancelQueries({ queryKey })
      const before = queryClient.getQueryData(queryKey)
      queryClient.setQueryData(queryKey, (current) => (current ? { ...current, ...changes } : current))
      return before
    },
    onError: (error, _changes, before) => {
      if (before) queryClient.setQueryData(queryKey, before)
      notifyError(error, 'The setting was not saved')
    },
    onSuccess: (saved) => {
      queryClient.setQueryData(queryKey, saved)
      notifyDone('The setting is saved.')
    },
  })
}

interface SwitchProps {
  organization: Organization
  reason: string | undefined
}

function TwoFactorSwitch({ organization, reason }: SwitchProps) {
  const me = useMe()
  const navigate = useNavigate()
  const setting = useSetting(organization)
  const question = useDialogItem<boolean>()
  const enforced = organization.enforce_2fa === true
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
        checked={enforced}
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

function JoinMailSwitch({ organization, reason }: SwitchProps) {
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

function DeleteButton({ organization }: { organization: Organization }) {
  const navigate = useNavigate()
  const remove = async (): Promise<void> => {
    await answer(client.DELETE('/api/organizations/{id}/', { params: { path: { id: organization.id } } }))
    await openAnotherOrganization(navigate, organization.id)
    notifyDone(`${organization.name} is deleted.`)
  }
  return (
    <ConfirmButton
      danger
      title={`Delete ${organization.name}?`}
      effect="The organization and all of its data are deleted at once. Events are removed in the background. This cannot be undone."
      confirm="Delete organization"
      typed={organization.name}
      disabledReason={needsLevel(organization.membership_level, OWNER)}
      onConfirm={remove}
    >
      Delete organization
    </ConfirmButton>
  )
}
