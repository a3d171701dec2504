import { Code, Group, Loader, Paper, Stack, Tabs, Text, ThemeIcon, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { answer, client } from '../api.ts'
import { CopyIconButton } from '../parts/Copy.tsx'
import { CheckIcon } from '../parts/icons.tsx'
import { AnchorLink, ButtonLink } from '../parts/links.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { useOrganization, useProject } from '../shell/workspace.ts'

const POLL_MS = 2_000

/** Leads from an empty project to its first event and its first export. A project with both opens its exports. */
export function WelcomePage() {
  const project = useProject()
  const organization = useOrganization()
  const project_id = String(project.id)
  const params = { organization: organization.id, project: project_id }
  const events = useQuery({
    queryKey: ['welcome', 'events', project_id],
    queryFn: () =>
      answer(
        client.GET('/api/projects/{project_id}/events/', {
          params: { path: { project_id }, query: { limit: 1, include_person: false } },
        }),
      ),
    // Stops when the first event has arrived.
    refetchInterval: (query) => (query.state.data?.results.length ? false : POLL_MS),
  })
  const exports = useQuery({
    queryKey: ['welcome', 'exports', project_id],
    queryFn: () =>
      answer(
        client.GET('/api/projects/{project_id}/batch_exports/', {
          params: { path: { project_id }, query: { limit: 1 } },
        }),
      ),
  })
  const hasEvents = Boolean(events.data?.results.length)
  const hasExports = Boolean(exports.data?.count)
  if (events.isPending || exports.isPending) return <Loader aria-label="Loading" />
  if (hasExports)
    return <Navigate to="/organizations/$organization/projects/$project/exports" params={params} replace />
  return (
    <Stack maw={760}>
      <PageHeader
        title={`Welcome to ${project.name}`}
        description="Two steps: send an event, then export your events to a destination."
      />
      <Step number={1} done={hasEvents} title="Send the first event">
        {hasEvents ? (
          <Text size="sm">
            Events are arriving.{' '}
            <AnchorLink to="/organizations/$organization/projects/$project/events" params={params}>
              Look at them
            </AnchorLink>
            .
          </Text>
        ) : (
          <>
            <Snippets token={project.api_token} />
            <Group gap="xs">
              <Loader size="xs" aria-hidden />
              <Text size="sm" c="dimmed" role="status">
                Waiting for the first event. This page updates by itself.
              </Text>
            </Group>
          </>
        )}
      </Step>
      <Step number={2} done={hasExports} title="Create the first export">
        <Text size="sm">
          An export delivers every event once to files, object storage, a database or an HTTP endpoint, on a schedule.
        </Text>
        <Group>
          <ButtonLink
            to="/organizations/$organization/projects/$project/exports/new"
            params={params}
            variant={hasEvents ? 'filled' : 'default'}
          >
            Create export
          </ButtonLink>
        </Group>
      </Step>
    </Stack>
  )
}

function Step({
  number,
  done,
  title,
  children,
}: {
  number: number
  done: boolean
  title: string
  children: ReactNode
}) {
  return (
    <Paper withBorder p="md" component="section">
      <Group wrap="nowrap" align="flex-start">
        <ThemeIcon radius="xl" color={done ? 'green' : 'indigo'} variant={done ? 'filled' : 'light'} aria-hidden>
          {done ? <CheckIcon size={14} /> : number}
        </ThemeIcon>
        <Stack gap="sm" flex={1} miw={0}>
          <Title order={2} size="h4">
            {title}
            {done ? ' (done)' : ''}
          </Title>
          {children}
        </Stack>
      </Group>
    </Paper>
  )
}

function Snippets({ token }: { token: string }) {
  const snippets: [name: string, text: string][] = [
    [
      'curl',
      `curl -X POST ${location.origin}/capture/ \\
  -H 'content-type: application/json' \\
  -d '{"api_key": "${token}", "event": "first event", "distinct_id": "me"}'`,
    ],
    [
      'JavaScript',
      `import posthog from 'posthog-js'

posthog.init('${token}', { api_host: '${location.origin}' })
posthog.capture('first event')`,
    ],
    [
      'Node.js',
      `import { PostHog } from 'posthog-node'

const client = new PostHog('${token}', { host: '${location.origin}' })
client.capture({ distinctId: 'me', event: 'first event' })
await client.shutdown()`,
    ],
    [
      'Python',
      `from posthog import Posthog

client = Posthog('${token}', host='${location.origin}')
client.capture('first event', distinct_id='me')
client.shutdown()`,
    ],
  ]
  return (
    <Tabs defaultValue="curl" keepMounted={false}>
      <Tabs.List>
        {snippets.map(([name]) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(([name, text]) => (
        <Tabs.Panel key={name} value={name} pt="xs">
          <Group align="flex-start" wrap="nowrap" gap="xs">
            <Code block flex={1} miw={0} tabIndex={0}>
              {text}
            </Code>
            <CopyIconButton value={text} label={`the ${name} snippet`} />
          </Group>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
