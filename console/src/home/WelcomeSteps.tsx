import { Code, Group, Loader, Paper, Stack, Tabs, Text, ThemeIcon, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Schemas } from '../api.ts'
import { EXPORTS, NEW_EXPORT } from '../exports/paths.ts'
import { CopyIconButton } from '../parts/Copy.tsx'
import { CheckIcon } from '../parts/icons.tsx'
import { ButtonLink } from '../parts/links.tsx'
import type { Place } from './place.ts'
import { exportsInTroubleQuery } from './queries.ts'

/** Leads from an empty project to its first event and its first export. */
export function WelcomeSteps({ project, place }: { project: Schemas['Project']; place: Place }) {
  const exports = useQuery(exportsInTroubleQuery(place.project))
  const hasExports = (exports.data?.count ?? 0) > 0
  return (
    <Stack maw={760}>
      <Step number={1} done={false} title="Send the first event">
        <Snippets token={project.api_token} />
        <Group gap="xs">
          <Loader size="xs" aria-hidden />
          <Text size="sm" c="dimmed" role="status">
            Waiting for the first event. This page updates by itself.
          </Text>
        </Group>
      </Step>
      <Step number={2} done={hasExports} title="Create the first export">
        <Text size="sm">{EXPORT_PURPOSE}</Text>
        <Group>
          <ButtonLink to={hasExports ? EXPORTS : NEW_EXPORT} params={place} variant="default">
            {hasExports ? 'Show exports' : 'Create export'}
          </ButtonLink>
        </Group>
      </Step>
    </Stack>
  )
}

export const EXPORT_PURPOSE =
  'An export delivers every event once to files, object storage, a database or an HTTP endpoint, on a schedule.'

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
