import { Alert, Badge, Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, client, type Schemas } from '../api.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { Section } from '../parts/Section.tsx'
import { useChange } from '../parts/use-change.ts'
import { BackupCodes } from './BackupCodes.tsx'
import { ProofForm } from './ProofForm.tsx'
import { twoFactorQuery } from './queries.ts'
import { TwoFactorSetup } from './TwoFactorSetup.tsx'

/** Few enough to remind the user. */
const FEW_CODES = 3

/** Turns two-factor authentication on and off, and creates backup codes. */
export function TwoFactor({ me }: { me: Schemas['Me'] }) {
  const status = useQuery(twoFactorQuery)
  const [codes, setCodes] = useState<string[]>()
  const start = useChange({ send: () => answer(client.POST('/api/users/@me/two_factor_start_setup/')) })

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
        <TwoFactorSetup
          setup={start.data}
          cancel={start.reset}
          restart={() => start.mutate()}
          done={(created) => {
            start.reset()
            setCodes(created)
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
            send={(body) => answer(client.POST('/api/users/@me/two_factor_backup_codes/', { body }))}
            after={({ backup_codes }) => {
              close()
              showCodes(backup_codes)
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
            send={(body) => answer(client.POST('/api/users/@me/two_factor_disable/', { body }))}
            done="Two-factor authentication is off."
            after={close}
            close={close}
          />
        )}
      </Modal>
    </Stack>
  )
}
