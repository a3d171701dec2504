import { Anchor, Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { answer, client, meQuery, queryClient, WorkspaceError } from '../api.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
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
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [step, setStep] = useState<'password' | 'code'>('password')
  const [error, setError] = useState<unknown>()
  const [loading, setLoading] = useState(false)

  const submit = async (): Promise<void> => {
    setLoading(true)
    setError(undefined)
    try {
      if (step === 'password')
        await answer(client.POST('/api/login/', { body: { email: me.data?.email ?? '', password } }))
      else await answer(client.POST('/api/login/token/', { body: { token: code } }))
      await queryClient.invalidateQueries({ queryKey: ['me'] })
      close(true)
    } catch (error) {
      if (error instanceof WorkspaceError && error.code === '2fa_required') setStep('code')
      else setError(error)
    } finally {
      setLoading(false)
    }
  }

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
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <Stack>
        <Text size="sm">This change needs a sign-in within the last hour.</Text>
        {step === 'password' ? (
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            data-autofocus
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        ) : (
          <TextInput
            label="Code of your authenticator app, or a backup code"
            autoComplete="one-time-code"
            data-autofocus
            required
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        )}
        {error !== undefined && <ErrorAlert error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => close(false)}>
            Cancel
          </Button>
          <Button type="submit" loading={loading}>
            Continue
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
