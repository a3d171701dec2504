import { Stack, Text } from '@mantine/core'
import { answer, client, meQuery, queryClient, type Schemas } from '../api.ts'
import { FormActions } from '../parts/FormActions.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { NewPassword, Password } from '../parts/Password.tsx'
import { Section } from '../parts/Section.tsx'
import { useServerForm } from '../parts/use-server-form.ts'
import { useMe } from '../shell/workspace.ts'
import { sessionsKey } from './queries.ts'
import { TwoFactor } from './TwoFactor.tsx'

/** Password and two-factor authentication of the signed-in user. */
export function SecurityPage() {
  const me = useMe()
  return (
    <>
      <PageHeader title="Password and two-factor" description="How you sign in." />
      <Stack maw={760}>
        <PasswordForm me={me} />
        <TwoFactor me={me} />
      </Stack>
    </>
  )
}

function PasswordForm({ me: { has_password, has_social_auth } }: { me: Schemas['Me'] }) {
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { current_password: '', password: '' },
    send: ({ password, current_password }) =>
      answer(client.PATCH('/api/users/@me/', { body: { password, ...(has_password && { current_password }) } })),
    done: has_password ? 'The password is changed. Your other sessions have ended.' : 'The password is set.',
    refreshes: [sessionsKey],
    after: (me, form) => {
      queryClient.setQueryData(meQuery.queryKey, me)
      form.reset()
    },
  })
  return (
    <Section
      title="Password"
      description={
        has_password
          ? 'A new password ends your other sessions. API keys keep working.'
          : 'Your account has no password. Set one to sign in with your address.'
      }
    >
      <form onSubmit={submit}>
        <Stack maw={420}>
          {has_password && (
            <Password label="Current password" withAsterisk={false} {...form.getInputProps('current_password')} />
          )}
          <NewPassword label="New password" withAsterisk={false} {...form.getInputProps('password')} />
          <FormActions submit={has_password ? 'Change password' : 'Set password'} isPending={isPending} error={error} />
          {has_social_auth && (
            <Text size="sm" c="dimmed">
              Your account is also connected with a single sign-on provider.
            </Text>
          )}
        </Stack>
      </form>
    </Section>
  )
}
