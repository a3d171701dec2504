import './query.css'
import { Box, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { ActivityIcon } from '../parts/icons.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { useMe, useProject } from '../shell/workspace.ts'
import { Editor } from './Editor.tsx'
import { HistoryDrawer } from './HistoryDrawer.tsx'
import { useHistory } from './history.ts'
import { queryErrorOf, resultQuery } from './queries.ts'
import { Results } from './Results.tsx'
import { Running } from './Running.tsx'
import { useQueryText } from './use-query-text.ts'

/** Asks about the events, persons and sessions of a project in HogQL. */
export function QueryPage() {
  const project_id = String(useProject().id)
  // Another project has other names and other recent queries.
  return <ProjectQuery key={project_id} project_id={project_id} />
}

function ProjectQuery({ project_id }: { project_id: string }) {
  const view = useQueryText()
  const client = useQueryClient()
  const history = useHistory(useMe().uuid, project_id)
  const [listsHistory, drawer] = useDisclosure(false)
  const [cancelled, setCancelled] = useState<string>()
  const options = resultQuery(project_id, view.ran)
  const result = useQuery(options)

  const run = (text = view.text): void => {
    if (text.trim() === '') return
    setCancelled(undefined)
    history.remember(text)
    view.run(text)
    if (text === view.ran) void result.refetch({ cancelRefetch: true })
  }
  const cancel = (): void => {
    setCancelled(view.ran)
    void client.cancelQueries({ queryKey: options.queryKey })
  }
  const choose = (text: string): void => {
    drawer.close()
    view.edit(text)
  }
  const openHistory = (): void => {
    history.refresh()
    drawer.open()
  }
  const { data, error, isFetching } = result
  const isCancelled = view.ran !== undefined && cancelled === view.ran && !isFetching
  return (
    <>
      <PageHeader
        title="Query"
        description="One SELECT over events, persons or sessions, in HogQL."
        actions={
          <Button variant="default" size="xs" leftSection={<ActivityIcon size={14} />} onClick={openHistory}>
            Recent queries
          </Button>
        }
      />
      <Stack gap="md">
        <Editor
          {...{ project_id, view, cancel }}
          run={() => run()}
          error={isFetching ? null : error}
          isRunning={isFetching}
        />
        {isCancelled && (
          <Text role="status">The query was cancelled.{data && ' These are the rows of the run before.'}</Text>
        )}
        {isFetching && !data ? (
          <Running />
        ) : error && !isFetching ? (
          !queryErrorOf(error) && <ErrorAlert error={error} title="The query failed" retry={() => run(view.ran)} />
        ) : data ? (
          <Box opacity={isFetching ? 0.5 : 1} aria-busy={isFetching}>
            <Results result={data} view={view} />
          </Box>
        ) : (
          !isCancelled && <Start run={run} />
        )}
      </Stack>
      {listsHistory && <HistoryDrawer history={history} choose={choose} close={drawer.close} />}
    </>
  )
}

const EXAMPLES = [
  {
    label: 'Events by name',
    text: `SELECT event, count() AS events
FROM events
WHERE timestamp > now() - INTERVAL 7 DAY
GROUP BY event
ORDER BY events DESC`,
  },
  {
    label: 'Events per day',
    text: `SELECT toStartOfDay(timestamp) AS day, count() AS events
FROM events
WHERE timestamp > now() - INTERVAL 30 DAY
GROUP BY day
ORDER BY day`,
  },
  {
    label: 'Active users per day',
    text: `SELECT toStartOfDay(timestamp) AS day, uniq(distinct_id) AS users
FROM events
WHERE timestamp > now() - INTERVAL 30 DAY
GROUP BY day
ORDER BY day`,
  },
]

function Start({ run }: { run: (text: string) => void }) {
  return (
    <EmptyState
      title="Ask about your data"
      action={
        <Group justify="center">
          {EXAMPLES.map(({ label, text }) => (
            <Button key={label} variant="default" onClick={() => run(text)}>
              {label}
            </Button>
          ))}
        </Group>
      }
    >
      Write a query and run it, or start with an example. Type <span className="mono">properties.</span> to complete the
      property names of this project.
    </EmptyState>
  )
}
