import { Badge, Group, Paper, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { answer, client, type Schemas } from '../api.ts'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Pager } from '../parts/Pager.tsx'
import { Time } from '../parts/Time.tsx'
import { useChange } from '../parts/use-change.ts'
import { ssoName } from '../signin/sso.tsx'
import { PAGE_SIZE, sessionsKey, sessionsQuery } from './queries.ts'
import { deviceName } from './user-agent.ts'

const METHODS: Record<string, string> = { password: 'password', link: 'one-time link' }

/** The browsers in which the user is signed in. */
export function SessionsPage() {
  const { page = 1 } = useSearch({ from: '/signed-in/account/sessions' })
  const navigate = useNavigate({ from: '/account/sessions' })
  const sessions = useQuery(sessionsQuery(page))
  const endOthers = useChange({
    send: () => answer(client.POST('/api/users/@me/login_sessions/end_others/')),
    done: 'Your other sessions have ended.',
    refreshes: [sessionsKey],
  })
  const { count = 0, results = [] } = sessions.data ?? {}
  return (
    <>
      <PageHeader
        title="Sessions"
        description="The browsers in which you are signed in. End those that you do not know, then change your password."
        actions={
          <ConfirmButton
            variant="default"
            title="End all other sessions?"
            effect="All other browsers must sign in again. This browser stays signed in, and API keys keep working."
            confirm="End other sessions"
            danger
            disabledReason={sessions.data && count <= 1 ? 'There is no other session.' : undefined}
            onConfirm={() => endOthers.mutateAsync()}
          >
            End other sessions
          </ConfirmButton>
        }
      />
      {sessions.error && <ErrorAlert error={sessions.error} retry={() => void sessions.refetch()} />}
      {sessions.isPending && (
        <Stack gap="xs">
          <Skeleton h={84} />
          <Skeleton h={84} />
        </Stack>
      )}
      {sessions.data && (
        <>
          <Stack gap="xs" component="ul" m={0} p={0} aria-label="Sessions">
            {results.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </Stack>
          <Pager
            count={count}
            limit={PAGE_SIZE}
            page={page}
            noun="session"
            onChange={(next) => void navigate({ search: next > 1 ? { page: next } : {} })}
          />
        </>
      )}
    </>
  )
}

function SessionRow({ session }: { session: Schemas['Session'] }) {
  const device = deviceName(session.user_agent)
  const method = METHODS[session.method] ?? ssoName(session.method)
  const path = { session_id: session.id }
  const end = useChange({
    send: () => answer(client.DELETE('/api/users/@me/login_sessions/{session_id}/', { params: { path } })),
    done: `The session of ${device} has ended.`,
    refreshes: [sessionsKey],
  })
  return (
    <Paper withBorder p="md" component="li" style={{ listStyle: 'none' }}>
      <Group justify="space-between" align="center" gap="sm">
        <Stack gap={4} flex="1 1 18rem" miw={0}>
          <Group gap="xs">
            <Text fw={600}>{device}</Text>
            {session.is_current && (
              <Badge color="green" variant="dot">
                This browser
              </Badge>
            )}
          </Group>
          <Text size="sm" component="div">
            Last used <Time value={session.last_used_at} /> · signed in <Time value={session.created_at} /> by {method}
            {session.second_factor && ' and second factor'} from <span className="mono">{session.address}</span>
          </Text>
          <Text size="xs" c="dimmed" className="wrap" lineClamp={2}>
            {session.user_agent || 'The client sent no user agent.'}
          </Text>
        </Stack>
        {!session.is_current && (
          <ConfirmButton
            variant="default"
            size="xs"
            title={`End the session of ${device}?`}
            effect={`The browser at ${session.address} must sign in again.`}
            confirm="End session"
            danger
            onConfirm={() => end.mutateAsync()}
          >
            End session
          </ConfirmButton>
        )}
      </Group>
    </Paper>
  )
}
