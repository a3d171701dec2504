import { Anchor, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { client, meQuery } from '../api.ts'
import { FormActions } from '../parts/FormActions.tsx'
import { Password } from '../parts/Password.tsx'
import { useServerForm } from '../parts/use-server-form.ts'
import { signIn } from './sign-in.ts'
import { onSignInNeeded } from './sign-in-again.ts'

/** Asks for the password, and the second factor if the account has one, before a sensitive request is repeated. */
export function Reauthentication() {
  const [opened, setOpened] = useState(false)
  const settle = useRef<((done: boolean) => void) | null>(null)
  useEffect(
    () =>
      onSignInNeeded(
        'reauthentication_required',
        () =>
          new Promise((resolve) => {
            settle.current = resolve
            setOpened(true)
          }),
      ),
    [],
  )
  const close = (done: boolean): void => {
    setOpened(false)
    settle.current?.(done)
    settle.current = null
  }
  return (
    <Modal opened={opened} onClose={() => close(false)} title="Sign in again">
      {opened && <ReauthenticationForm close={close} />}
    </Modal>
  )
}

function ReauthenticationForm({ close }: { close: (done: boolean) => void }) {
  const me = useQuery(meQuery)
  const [isSecondStep, setSecondStep] = useState(false)
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { password: '', token: '' },
    send: ({ password, token }) =>
      signIn(
        isSecondStep
          ? client.POST('/api/login/token/', { body: { token } })
          : client.POST('/api/login/', { body: { email: me.data?.email ?? '', password } }),
      ),
    refreshes: [meQuery.queryKey],
    after: (user) => (user === 'second step' ? setSecondStep(true) : close(true)),
  })
  if (me.data && !me.data.has_password)
    return (
      <Stack>
        <Text size="sm">
          This change needs a sign-in within the last hour. Your account has no password: sign in again with your
          provider, then repeat the change.
        </Text>
        <Anchor href={`/login?next=${encodeURIComponent(location.pathname)}`} target="_blank">
          Open the sign-in page in a new tab
        </Anchor>
      </Stack>
    )
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">This change needs a sign-in within the last hour.</Text>
        {isSecondStep ? (
          <TextInput
            label="Code of your authenticator app, or a backup code"
            autoComplete="one-time-code"
            data-autofocus
            required
            {...form.getInputProps('token')}
          />
        ) : (
          <Password data-autofocus {...form.getInputProps('password')} />
        )}
        <FormActions submit="Continue" cancel={() => close(false)} isPending={isPending} error={error} />
      </Stack>
    </form>
  )
}
