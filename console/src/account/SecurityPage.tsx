import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, client, meQuery, queryClient, type Schemas } from '../api.ts'
import { ErrorAlert, notifyDone } from '../parts/ErrorAlert.tsx'
import { errorBeside, fieldError } from '../parts/field-error.ts'
import { NewPassword } from '../parts/NewPassword.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Section } from '../parts/Section.tsx'
import { useMe } from '../shell/workspace.ts'
import { TwoFactor } from './TwoFactor.tsx'

/** Password and two-factor authentication of the signed-in user. */
export function SecurityPage() {
  const me = useMe()
  return (
    <>
      <PageHeader title="Password and two-factor" description="How you sign in." />
      <Stack maw={760}>
        <Password me={me} />
        <TwoFactor me={me} />
      </Stack>
    </>
  )
}

function Password({ me: { has_password, has_social_auth } }: { me: Schemas['Me'] }) {
  const [current_password, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const save = useMutation({
    mutationFn: () =>
      answer(client.PATCH('/api/users/@me/', { body: { password, ...(has_password && { current_password }) } })),
    onSuccess: async (me) => {
      queryClient.setQueryData(meQuery.queryKey, me)
      setCurrent('')
      setPassword('')
      notifyDone(has_password ? 'The password is changed. Your other sessions have ended.' : 'The password is set.')
      await queryClient.invalidateQueries({ queryKey: ['sessions'] })
    },
  })
  const rest = errorBeside(save.error, 'password', 'current_password')
  return (
    <Section
      title="Password"
      description={
        has_password
          ? 'A new password ends your other sessions. API keys keep working.'
          : 'Your account has no password. Set one to sign in with your address.'
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <Stack maw={420}>
          {has_password && (
            <PasswordInput
              label="Current password"
              autoComplete="current-password"
              required
              withAsterisk={false}
              maxLength={256}
              value={current_password}
              error={fieldError(save.error, 'current_password')}
              aria-invalid={fieldError(save.error, 'current_password') !== undefined}
              onChange={(event) => setCurrent(event.currentTarget.value)}
            />
          )}
          <NewPassword
            label="New password"
            withAsterisk={false}
            value={password}
            error={fieldError(save.error, 'password')}
            aria-invalid={fieldError(save.error, 'password') !== undefined}
            onChange={setPassword}
          />
          {rest !== null && <ErrorAlert error={rest} />}
          <Group>
            <Button type="submit" loading={save.isPending}>
              {has_password ? 'Change password' : 'Set password'}
            </Button>
          </Group>
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
