import { Anchor, Stack, Text, TextInput } from '@mantine/core'
import { answer, client, type Schemas } from '../api.ts'
import { FormActions } from '../parts/FormActions.tsx'
import { NewPassword } from '../parts/Password.tsx'
import { useServerForm } from '../parts/use-server-form.ts'
import { Frame } from './Frame.tsx'

/** After the first sign-in by link: address, name and password of the owner. */
export function FirstProfile({
  email,
  done,
  leave,
}: {
  email: string
  done: (me: Schemas['Me']) => void
  leave: () => void
}) {
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { email, first_name: '', password: '' },
    send: (body) => answer(client.PATCH('/api/users/@me/', { body })),
    after: done,
  })
  return (
    <Frame title="Welcome">
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">Set your address, name and password. You sign in with them from now on.</Text>
          <TextInput label="Email" type="email" autoComplete="username" required {...form.getInputProps('email')} />
          <TextInput label="Name" autoComplete="given-name" maxLength={150} {...form.getInputProps('first_name')} />
          <NewPassword {...form.getInputProps('password')} />
          <FormActions submit="Continue" fullWidth isPending={isPending} error={error} />
          <Anchor component="button" type="button" size="sm" ta="left" onClick={leave}>
            Sign in with another account
          </Anchor>
        </Stack>
      </form>
    </Frame>
  )
}
