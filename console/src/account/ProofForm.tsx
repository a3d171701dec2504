import { SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Schemas } from '../api.ts'
import { FormActions } from '../parts/FormActions.tsx'
import { Password } from '../parts/Password.tsx'
import { useServerForm } from '../parts/use-server-form.ts'
import { TWO_FACTOR_KEYS } from './queries.ts'

type Proof = 'password' | 'token'

/** Asks for the password or a code. A user without a password may sign in again with their provider instead. */
export function ProofForm<Answer>({
  hasPassword,
  effect,
  confirm,
  send,
  done,
  after,
  close,
}: {
  hasPassword: boolean
  effect: string
  confirm: string
  send: (proof: Schemas['TwoFactorProof']) => Promise<Answer>
  done?: string
  after: (answer: Answer) => void
  close: () => void
}) {
  const [by, setBy] = useState<Proof>(hasPassword ? 'password' : 'token')
  const { form, submit, isPending, error, forget } = useServerForm({
    initialValues: { password: '', token: '' },
    send: (values) => send(values[by] === '' ? {} : { [by]: values[by] }),
    done,
    refreshes: TWO_FACTOR_KEYS,
    after,
  })
  const field = { required: hasPassword, withAsterisk: false, 'data-autofocus': true, ...form.getInputProps(by) }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{effect}</Text>
        {!hasPassword && (
          <Text size="sm" c="dimmed">
            If you have no code, leave it empty after signing in again with your provider.
          </Text>
        )}
        {hasPassword && (
          <SegmentedControl<Proof>
            aria-label="Confirm with"
            data={[
              { value: 'password', label: 'Password' },
              { value: 'token', label: 'Code' },
            ]}
            value={by}
            onChange={(next) => {
              setBy(next)
              form.reset()
              forget()
            }}
          />
        )}
        {by === 'password' ? (
          <Password {...field} />
        ) : (
          <TextInput
            label="Code of your authenticator app, or a backup code"
            autoComplete="one-time-code"
            maxLength={64}
            {...field}
          />
        )}
        <FormActions submit={confirm} color="red" cancel={close} isPending={isPending} error={error} />
      </Stack>
    </form>
  )
}
