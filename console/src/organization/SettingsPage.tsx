import { Alert, Divider, Group, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { answer, client, type Schemas } from '../api.ts'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { Copy } from '../parts/Copy.tsx'
import { count } from '../parts/format.ts'
import { InfoIcon } from '../parts/icons.tsx'
import { ADMINISTRATOR, needsLevel, OWNER } from '../parts/levels.ts'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Section } from '../parts/Section.tsx'
import { Time } from '../parts/Time.tsx'
import { useChange } from '../parts/use-change.ts'
import { useOrganization } from '../shell/workspace.ts'
import { openAnotherOrganization } from './leave.ts'
import { JoinMailSwitch, NameForm, TwoFactorSwitch } from './Settings.tsx'

type Organization = Schemas['Organization']

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
          <NameForm key={organization.id} organization={organization} reason={reason} />
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

function DeleteButton({ organization }: { organization: Organization }) {
  const navigate = useNavigate()
  const remove = useChange({
    send: () => answer(client.DELETE('/api/organizations/{id}/', { params: { path: { id: organization.id } } })),
    done: `${organization.name} is deleted.`,
    after: () => openAnotherOrganization(navigate, organization.id),
  })
  return (
    <ConfirmButton
      danger
      title={`Delete ${organization.name}?`}
      effect="The organization and all of its data are deleted at once. Events are removed in the background. This cannot be undone."
      confirm="Delete organization"
      typed={organization.name}
      disabledReason={needsLevel(organization.membership_level, OWNER)}
      onConfirm={() => remove.mutateAsync()}
    >
      Delete organization
    </ConfirmButton>
  )
}
