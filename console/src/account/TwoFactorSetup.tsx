import { Button, Group, Image, Stack, Text, TextInput } from '@mantine/core'
import { answer, client, type Schemas } from '../api.ts'
import { Copy } from '../parts/Copy.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { useServerForm } from '../parts/use-server-form.ts'
import { TWO_FACTOR_KEYS } from './queries.ts'

/** Connects an authenticator app. */
export function TwoFactorSetup({
  setup: { secret, qr_code_svg, otpauth_url },
  cancel,
  restart,
  done,
}: {
  setup: Schemas['TwoFactorSetup']
  cancel: () => void
  restart: () => void
  done: (codes: string[]) => void
}) {
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { token: '' },
    send: ({ token }) => answer(client.POST('/api/users/@me/two_factor_validate/', { body: { token: token.trim() } })),
    refreshes: TWO_FACTOR_KEYS,
    after: ({ backup_codes }) => done(backup_codes),
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm" fw={600}>
          1. Scan this code with your authenticator app
        </Text>
        <Group align="flex-start" gap="lg">
          <Image
            src={`data:image/svg+xml,${encodeURIComponent(qr_code_svg)}`}
            alt="QR code with the secret for your authenticator app"
            w={196}
            h={196}
            p="xs"
            bg="white"
            bd="1px solid var(--mantine-color-default-border)"
          />
          <Stack gap="xs" flex="1 1 14rem" miw={0}>
            <Text size="sm">Or enter this secret by hand:</Text>
            <Copy value={secret} label="the secret" shown={secret.replace(/(.{4})(?=.)/g, '$1 ')} />
            <Text size="sm">
              On this device, you can also <a href={otpauth_url}>open your authenticator app</a>.
            </Text>
            <Text size="xs" c="dimmed">
              The secret is valid for ten minutes and is not shown again.
            </Text>
          </Stack>
        </Group>
        <Text size="sm" fw={600}>
          2. Enter the code that the app shows
        </Text>
        <TextInput
          label="Code"
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          withAsterisk={false}
          maxLength={64}
          maw={200}
          {...form.getInputProps('token')}
        />
        {error !== null && <ErrorAlert error={error} retry={restart} />}
        <Group>
          <Button type="submit" loading={isPending}>
            Turn on
          </Button>
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
