import { Stack, Text, TextInput } from '@mantine/core'
import { client, type Schemas } from '../api.ts'
import { FormActions } from '../parts/FormActions.tsx'
import { useServerForm } from '../parts/use-server-form.ts'
import { Frame } from './Frame.tsx'
import { signIn } from './sign-in.ts'

/** Asks for the second factor. */
export function SecondStep({ proceed }: { proceed: (me: Schemas['Me'] | 'second step') => void }) {
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { token: '' },
    send: (body) => signIn(client.POST('/api/login/token/', { body })),
    after: proceed,
  })
  return (
    <Frame title="Second step">
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">Enter the code of your authenticator app, or one of your backup codes.</Text>
          <TextInput label="Code" autoComplete="one-time-code" required autoFocus {...form.getInputProps('token')} />
          <FormActions submit="Continue" fullWidth isPending={isPending} error={error} errorTitle="Sign-in failed" />
        </Stack>
      </form>
    </Frame>
  )
}
