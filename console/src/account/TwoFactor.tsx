import {
  Alert,
  Badge,
  Button,
  Group,
  Image,
  Modal,
  PasswordInput,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, client, meQuery, queryClient, type Schemas } from '../api.ts'
import { Copy } from '../parts/Copy.tsx'
import { ErrorAlert, notifyDone } from '../parts/ErrorAlert.tsx'
import { errorBeside, fieldError } from '../parts/field-error.ts'
import { plural } from '../parts/format.ts'
import { Section } from '../parts/Section.tsx'
import { BackupCodes } from './BackupCodes.tsx'

const statusKey = ['two-factor']
/** Few enough to remind the user. */
const FEW_CODES = 3

const refresh = (): Promise<unknown> =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: statusKey }),
    queryClient.invalidateQueries({ queryKey: meQuery.queryKey }),
    queryClient.invalidateQueries({ queryKey: ['sessions'] }),
  ])

/** Turns two-factor authentication on and off, and creates backup codes. */
export function TwoFactor({ me }: { me: Schemas['Me'] }) {
  const status = useQuery({
    queryKey: statusKey,
    queryFn: () => answer(client.GET('/api/users/@me/two_factor_status/')),
  })
  const [codes, setCodes] = useState<string[]>()
  const start = useMutation({ mutationFn: () => answer(client.POST('/api/users/@me/two_factor_start_setup/')) })

  return (
    <Section
      title="Two-factor authentication"
      description="After your password, you enter a code of an authenticator app. A stolen password alone is then not enough."
      state={
        status.data && (
          <Badge color={status.data.is_enabled ? 'green' : 'gray'} variant="dot">
            {status.data.is_enabled ? 'On' : 'Off'}
          </Badge>
        )
      }
    >
      {status.isPending && <Skeleton h={36} w={260} />}
      {status.error && <ErrorAlert error={status.error} retry={() => void status.refetch()} />}
      {start.error && <ErrorAlert error={start.error} />}
      {status.data && !status.data.is_enabled && !start.data && (
        <Group>
          <Button loading={start.isPending} onClick={() => start.mutate()}>
            Set up two-factor authentication
          </Button>
        </Group>
      )}
      {status.data && !status.data.is_enabled && start.data && (
        <Setup
          setup={start.data}
          cancel={start.reset}
          restart={() => start.mutate()}
          done={(created) => {
            start.reset()
            setCodes(created)
            void refresh()
          }}
        />
      )}
      {status.data?.is_enabled && (
        <Enabled left={status.data.backup_codes} hasPassword={me.has_password} showCodes={setCodes} />
      )}
      {codes && <BackupCodes codes={codes} close={() => setCodes(undefined)} />}
    </Section>
  )
}

function Setup({
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
  const [token, setToken] = useState('')
  const validate = useMutation({
    mutationFn: () => answer(client.POST('/api/users/@me/two_factor_validate/', { body: { token: token.trim() } })),
    onSuccess: ({ backup_codes }) => done(backup_codes),
  })
  const rest = errorBeside(validate.error, 'token')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        validate.mutate()
      }}
    >
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
          value={token}
          error={fieldError(validate.error, 'token')}
          onChange={(event) => setToken(event.currentTarget.value)}
        />
        {rest !== null && <ErrorAlert error={rest} retry={restart} />}
        <Group>
          <Button type="submit" loading={validate.isPending}>
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

function Enabled({
  left,
  hasPassword,
  showCodes,
}: {
  left: number
  hasPassword: boolean
  showCodes: (codes: string[]) => void
}) {
  const [asked, setAsked] = useState<'codes' | 'off'>()
  const close = (): void => setAsked(undefined)
  return (
    <Stack>
      {left <= FEW_CODES ? (
        <Alert color="yellow" title={`${plural(left, 'backup code')} left`}>
          Create new ones. Without your app and without a backup code you cannot sign in.
        </Alert>
      ) : (
        <Text size="sm">{plural(left, 'backup code')} left. Each replaces your authenticator app once.</Text>
      )}
      <Group>
        <Button variant="default" onClick={() => setAsked('codes')}>
          Create new backup codes
        </Button>
        <Button variant="outline" color="red" onClick={() => setAsked('off')}>
          Turn off
        </Button>
      </Group>
      <Modal opened={asked === 'codes'} onClose={close} title="Create new backup codes?">
        {asked === 'codes' && (
          <ProofForm
            hasPassword={hasPassword}
            effect="Your present backup codes stop working. The ten new ones are shown once."
            confirm="Create codes"
            send={async (body) => {
              const { backup_codes } = await answer(client.POST('/api/users/@me/two_factor_backup_codes/', { body }))
              showCodes(backup_codes)
              void refresh()
            }}
            close={close}
          />
        )}
      </Modal>
      <Modal opened={asked === 'off'} onClose={close} title="Turn off two-factor authentication?">
        {asked === 'off' && (
          <ProofForm
            hasPassword={hasPassword}
            effect="Your password alone is then enough to sign in, and your backup codes stop working. Organizations that require two-factor authentication lock you out."
            confirm="Turn off"
            send={async (body) => {
              await answer(client.POST('/api/users/@me/two_factor_disable/', { body }))
              await refresh()
              notifyDone('Two-factor authentication is off.')
            }}
            close={close}
          />
        )}
      </Modal>
    </Stack>
  )
}

type Proof = 'password' | 'token'

interface ProofFormProps {
  hasPassword: boolean
  effect: string
  confirm: string
  send: (proof: Schemas['TwoFactorProof']) => Promise<void>
  close: () => void
}

/** Asks for the password or a code. A user without a password may sign in again with their provider instead. */
function ProofForm({ hasPassword, effect, confirm, send, close }: ProofFormProps) {
  const [by, setBy] = useState<Proof>(hasPassword ? 'password' : 'token')
  const [value, setValue] = useState('')
  const request = useMutation({
    mutationFn: () => send(value === '' ? {} : { [by]: value }),
    onSuccess: close,
  })
  const rest = errorBeside(request.error, by)
  const field = {
    required: hasPassword,
    withAsterisk: false,
    'data-autofocus': true,
    value,
    error: fieldError(request.error, by),
    'aria-invalid': fieldError(request.error, by) !== undefined,
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => setValue(event.currentTarget.value),
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        request.mutate()
      }}
    >
      <Stack>
        <Text size="sm">{effect}</Text>
        {!hasPassword && (
          <Text size="sm" c="dimmed">
            If you have no code, leave it empty after signing in again with your provider.
          </Text>
        )}
        {hasPassword && (
          <SegmentedControl
            aria-label="Confirm with"
            data={[
              { value: 'password', label: 'Password' },
              { value: 'token', label: 'Code' },
            ]}
            value={by}
            onChange={(next) => {
              setBy(next as Proof)
              setValue('')
              request.reset()
            }}
          />
        )}
        {by === 'password' ? (
          <PasswordInput label="Password" autoComplete="current-password" maxLength={256} {...field} />
        ) : (
          <TextInput
            label="Code of your authenticator app, or a backup code"
            autoComplete="one-time-code"
            maxLength={64}
            {...field}
          />
        )}
        {rest !== null && <ErrorAlert error={rest} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" color="red" loading={request.isPending}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
