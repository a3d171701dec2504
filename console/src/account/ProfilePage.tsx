import { Alert, Badge, Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { answer, client, meQuery, queryClient, type Schemas } from '../api.ts'
import { Copy } from '../parts/Copy.tsx'
import { Definition } from '../parts/Definition.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { FormActions } from '../parts/FormActions.tsx'
import { withArticle } from '../parts/levels.ts'
import { AnchorLink } from '../parts/links.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Section } from '../parts/Section.tsx'
import { useChange } from '../parts/use-change.ts'
import { useServerForm } from '../parts/use-server-form.ts'
import { useMe } from '../shell/workspace.ts'
import { preflightQuery } from '../signin/sso.tsx'

/** The name, the address and the current place of the signed-in user. */
export function ProfilePage() {
  const me = useMe()
  return (
    <>
      <PageHeader title="Profile" description="Other members of your organizations see your name and address." />
      <Stack maw={760}>
        <NameForm key={`${me.first_name}/${me.last_name}`} me={me} />
        <Address me={me} />
        <Place me={me} />
      </Stack>
    </>
  )
}

const updateMe = (body: Schemas['MeWrite']): Promise<Schemas['Me']> => answer(client.PATCH('/api/users/@me/', { body }))

const storeMe = (me: Schemas['Me']): void => void queryClient.setQueryData(meQuery.queryKey, me)

function NameForm({ me: { first_name, last_name } }: { me: Schemas['Me'] }) {
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { first_name, last_name },
    send: updateMe,
    done: 'Your name is saved.',
    after: storeMe,
  })
  return (
    <Section title="Name">
      <form onSubmit={submit}>
        <Stack>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              label="First name"
              autoComplete="given-name"
              maxLength={150}
              {...form.getInputProps('first_name')}
            />
            <TextInput
              label="Last name"
              autoComplete="family-name"
              maxLength={150}
              {...form.getInputProps('last_name')}
            />
          </SimpleGrid>
          <FormActions submit="Save name" isPending={isPending} error={error} disabled={!form.isDirty()} />
        </Stack>
      </form>
    </Section>
  )
}

/** Null means that the operator created the account: nothing has to be verified. */
const VERIFICATION: Record<string, ReactNode> = {
  true: (
    <Badge color="green" variant="dot">
      Verified
    </Badge>
  ),
  false: (
    <Badge color="yellow" variant="dot">
      Not verified
    </Badge>
  ),
}

function Address({ me }: { me: Schemas['Me'] }) {
  const sendsMail = useQuery(preflightQuery).data?.email_service_available
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { email: '' },
    send: ({ email }) => updateMe({ email: email.trim() }),
    done: ({ pending_email, email }) =>
      pending_email ? `We sent a link to ${pending_email}.` : `Your address is now ${email}.`,
    after: (me, form) => {
      storeMe(me)
      form.reset()
    },
  })
  const resend = useChange({
    send: () => answer(client.POST('/api/users/@me/request_email_verification/')),
    done: `We sent a link to ${me.pending_email ?? me.email}.`,
  })
  const resendButton = (label: string): ReactNode => (
    <Button size="xs" variant="default" loading={resend.isPending} onClick={() => resend.mutate()}>
      {label}
    </Button>
  )
  return (
    <Section
      title="Email address"
      state={VERIFICATION[String(me.is_email_verified)]}
      description={
        sendsMail === false
          ? 'You sign in with this address. This server sends no email, so a new address takes effect at once.'
          : 'You sign in with this address. A new address takes effect once you open the link that we mail to it.'
      }
    >
      <Group justify="space-between">
        <Text fw={500} className="wrap">
          {me.email}
        </Text>
        {me.is_email_verified === false && sendsMail && !me.pending_email && resendButton('Send verification mail')}
      </Group>
      {me.pending_email && (
        <Alert color="yellow" title="Waiting for verification">
          <Stack gap="xs" align="flex-start">
            <Text size="sm" className="wrap">
              Open the link that we mailed to <b>{me.pending_email}</b>. Until then you sign in with {me.email}. If the
              address is wrong, change it again below.
            </Text>
            {resendButton('Resend mail')}
          </Stack>
        </Alert>
      )}
      {resend.error && <ErrorAlert error={resend.error} title="The mail was not sent" />}
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="New address"
            type="email"
            autoComplete="email"
            required
            withAsterisk={false}
            maxLength={254}
            maw={420}
            {...form.getInputProps('email')}
          />
          <FormActions
            submit="Change address"
            variant="default"
            isPending={isPending}
            error={error}
            disabled={form.values.email.trim() === ''}
          />
        </Stack>
      </form>
    </Section>
  )
}

/** The organization and project that `@current` refers to. */
function Place({ me: { organization, team, uuid } }: { me: Schemas['Me'] }) {
  return (
    <Section
      title="Current place"
      description="Requests that name @current refer to this organization and project. Change it in the menu at the top of the page."
    >
      <Stack gap="sm" component="dl" m={0}>
        <Definition term="Organization">
          {organization ? (
            <>
              <AnchorLink
                underline="always"
                to="/organizations/$organization/settings"
                params={{ organization: organization.id }}
              >
                {organization.name}
              </AnchorLink>{' '}
              <Text span c="dimmed" size="sm">
                (you are {withArticle(organization.membership_level)})
              </Text>
            </>
          ) : (
            'none'
          )}
        </Definition>
        <Definition term="Project">{team ? `${team.name} (id ${team.id})` : 'none'}</Definition>
        <Definition term="Your user id">
          <Copy value={uuid} label="your user id" />
        </Definition>
      </Stack>
    </Section>
  )
}
