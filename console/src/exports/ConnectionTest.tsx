import { Alert, Group, List, Stack, Text, ThemeIcon } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Schemas } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { CheckIcon, CloseIcon, MoreIcon } from '../parts/icons.tsx'
import type { ConnectionTest } from './use-connection-test.ts'

type Step = Schemas['DestinationTest']['steps'][number]

const SHOWN: Record<Step['status'], { label: string; color: string; icon: typeof CheckIcon }> = {
  passed: { label: 'Passed', color: 'green.9', icon: CheckIcon },
  failed: { label: 'Failed', color: 'red.9', icon: CloseIcon },
  skipped: { label: 'Skipped', color: 'gray.7', icon: MoreIcon },
}

/** A button that tests the connection, and the result. */
export function TestPart({
  test: { result, error, isPending, run },
  disabledReason,
  children,
}: {
  test: ConnectionTest
  disabledReason?: string | undefined
  /** More actions beside the button. */
  children?: ReactNode
}) {
  return (
    <Stack gap="sm">
      {result && <TestResult result={result} />}
      {error !== undefined && <ErrorAlert error={error} title="The connection was not tested" />}
      <Group gap="sm" mih={36}>
        <ActionButton variant="default" loading={isPending} disabledReason={disabledReason} onClick={() => void run()}>
          Test connection
        </ActionButton>
        {children}
        <Text size="sm" c="dimmed" role="status">
          {isPending ? 'Testing each step…' : ''}
        </Text>
      </Group>
    </Stack>
  )
}

/** The result of each step of a connection test. */
export function TestResult({ result: { passed, steps } }: { result: Schemas['DestinationTest'] }) {
  return (
    <Alert
      variant="outline"
      color={passed ? 'green' : 'red'}
      title={passed ? 'The connection works' : 'The connection does not work yet'}
      role="status"
      className="plain-alert"
    >
      <List spacing="xs" size="sm" center aria-label="Steps of the connection test">
        {steps.map(({ name, status, detail }) => {
          const { label, color, icon: Icon } = SHOWN[status]
          return (
            <List.Item
              key={name}
              icon={
                <ThemeIcon color={color} size={22} radius="xl">
                  <Icon size={14} />
                </ThemeIcon>
              }
            >
              <Text span size="sm" fw={600}>
                {name}: {label}.
              </Text>{' '}
              <Text span size="sm" className="wrap">
                {detail}
              </Text>
            </List.Item>
          )
        })}
      </List>
    </Alert>
  )
}
