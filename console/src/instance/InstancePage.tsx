import { Alert, Code, Group, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type Schemas, WorkspaceError } from '../api.ts'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { count, duration } from '../parts/format.ts'
import { WarningIcon } from '../parts/icons.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { StateBadge } from '../parts/StateBadge.tsx'
import { Time } from '../parts/Time.tsx'
import { instanceQuery } from './queries.ts'

type Status = Schemas['InstanceStatus']

const LATE_SECONDS = 10 * 60
const OLD_BACKUP_MS = 7 * 86_400_000

export function InstancePage() {
  const { data, error, refetch } = useQuery(instanceQuery)
  return (
    <>
      <PageHeader
        title="Instance status"
        description="The state of this installation. It refreshes every ten seconds."
      />
      {error instanceof WorkspaceError && error.status === 403 ? (
        <EmptyState title="You cannot see the status of this installation">{error.detail}</EmptyState>
      ) : error && !data ? (
        <ErrorAlert error={error} title="The status could not be loaded" retry={() => void refetch()} />
      ) : (
        <Stack gap="lg">
          {error && <ErrorAlert error={error} title="The server does not respond. These values are old." />}
          {data && <BackupAlert status={data} />}
          <Cards title="Server">
            <Card label="Version">{data?.version}</Card>
            <Card label="Running for">{data && duration(data.uptime_seconds * 1000)}</Card>
            <Card label="Role" note={data && ROLES[data.role]}>
              {data?.role}
            </Card>
            <Card label="Database" note={data && `Schema version ${data.schema_version}`}>
              {data && (data.database_engine === 'sqlite' ? 'SQLite' : 'PostgreSQL')}
            </Card>
            <Card label="Last backup">{data && <Backup status={data} />}</Card>
          </Cards>
          <Cards title="Queues">
            <Card label="Export runs in progress">{data && count(data.runs_running)}</Card>
            <Card label="Export runs waiting">{data && count(data.runs_waiting)}</Card>
            <Card label="Export lag" note="Since the end of the oldest window that is due and not delivered.">
              {data && <Lag seconds={data.export_lag_seconds} />}
            </Card>
            <Card label="Emails waiting" note={data && (data.email_service_available ? '' : 'Email is not set up.')}>
              {data && count(data.mails_waiting)}
            </Card>
            <Card label="Deletions waiting" note="Deleted projects whose events are still being removed.">
              {data && count(data.purges_waiting)}
            </Card>
          </Cards>
        </Stack>
      )}
    </>
  )
}

const ROLES: Record<Status['role'], string> = {
  all: 'Requests and background work',
  api: 'Requests only; other servers do the background work',
  worker: 'Background work only',
}

function Cards({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {title}
      </Title>
      <SimpleGrid cols={{ base: 2, md: 3 }} spacing={{ base: 'xs', sm: 'md' }}>
        {children}
      </SimpleGrid>
    </section>
  )
}

/** A value that is not loaded yet is a skeleton of the same height. */
function Card({ label, note, children }: { label: string; note?: string | undefined; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={label}>
      <Text size="xs" c="dimmed" fw={600}>
        {label}
      </Text>
      <Text size="lg" fw={600} component="div" mt={2} className="wrap">
        {children ?? <Skeleton h={28} w={90} />}
      </Text>
      {note && (
        <Text size="xs" c="dimmed" mt={2}>
          {note}
        </Text>
      )}
    </Paper>
  )
}

function Lag({ seconds }: { seconds: number | null }) {
  const late = seconds !== null && seconds > LATE_SECONDS
  return (
    <Group gap="xs">
      <span>{seconds === null ? 'None' : duration(seconds * 1000)}</span>
      <StateBadge color={late ? 'red' : 'green'}>{late ? 'Late' : 'On time'}</StateBadge>
    </Group>
  )
}

const isOld = (status: Status): boolean =>
  status.last_backup_at !== null && Date.now() - Date.parse(status.last_backup_at) > OLD_BACKUP_MS

function Backup({ status }: { status: Status }) {
  if (status.last_backup_at !== null)
    return (
      <Group gap="xs">
        <Time value={status.last_backup_at} />
        {isOld(status) && <StateBadge color="yellow">Old</StateBadge>}
      </Group>
    )
  return <>{status.database_engine === 'postgres' ? 'Not recorded' : 'Never'}</>
}

function BackupAlert({ status }: { status: Status }) {
  if (status.last_backup_failed_at !== null)
    return (
      <Alert color="red" icon={<WarningIcon />} title="The last scheduled backup failed">
        {status.last_backup_error} The server retries it. <Code>workspace-admin doctor</Code> shows more.
      </Alert>
    )
  // Other programs back up PostgreSQL, and may not record it.
  if (status.database_engine === 'postgres' || (status.last_backup_at !== null && !isOld(status))) return null
  return (
    <Alert
      color="yellow"
      icon={<WarningIcon />}
      title={status.last_backup_at === null ? 'There is no backup' : 'The last backup is more than a week old'}
    >
      Let the server make one every day with the settings <Code>BACKUP_EVERY</Code> and <Code>BACKUP_TO</Code>, or run{' '}
      <Code>workspace-admin backup FILE</Code> while it runs.
    </Alert>
  )
}
