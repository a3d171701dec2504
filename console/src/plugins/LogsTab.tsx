import { Button, Group, Select, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { queryClient, type Schemas } from '../api.ts'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { RetryIcon } from '../parts/icons.tsx'
import { LogLine, TextFilter } from '../parts/log.tsx'
import { Pager } from '../parts/Pager.tsx'
import { configsQuery, LOG_LIMIT, logsQuery } from './queries.ts'
import type { LogSearch } from './routes.tsx'

const ALL = 'all'

const LEVEL_OPTIONS = [
  { value: ALL, label: 'All levels' },
  { value: 'INFO', label: 'Info and above' },
  { value: 'WARN', label: 'Warnings and errors' },
  { value: 'ERROR', label: 'Errors only' },
]

const TIME_OPTIONS = [
  { value: ALL, label: 'Any time' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
]

const optional = (value: string | null): string | undefined => (value === null || value === ALL ? undefined : value)

/** The log of a configuration, newest line first. */
export default function LogsTab({
  project,
  config,
  search,
  setSearch,
}: {
  project: string
  config: Schemas['PluginConfig']
  search: LogSearch
  setSearch: (search: LogSearch) => void
}) {
  const { page = 1, ...filter } = search
  const log = useQuery(logsQuery(project, config.id, search))
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs" align="flex-end">
        <Group gap="xs" align="flex-end">
          <Select
            label="Level"
            data={LEVEL_OPTIONS}
            value={filter.level ?? ALL}
            onChange={(level) => setSearch({ ...filter, level: optional(level) })}
            allowDeselect={false}
            size="xs"
            w={170}
          />
          <Select
            label="Time"
            data={TIME_OPTIONS}
            value={filter.since ?? ALL}
            onChange={(since) => setSearch({ ...filter, since: optional(since) })}
            allowDeselect={false}
            size="xs"
            w={140}
          />
          <TextFilter
            value={filter.text ?? ''}
            onChange={(text) => setSearch({ ...filter, text: text || undefined })}
          />
        </Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<RetryIcon size={14} />}
          loading={log.isFetching}
          onClick={() => {
            void log.refetch()
            // New lines may come with a new state.
            void queryClient.invalidateQueries({ queryKey: configsQuery(project).queryKey })
          }}
        >
          Reload log
        </Button>
      </Group>
      {log.error && <ErrorAlert error={log.error} retry={() => void log.refetch()} />}
      {log.isPending && <Skeleton h={200} />}
      {log.data?.count === 0 &&
        (isFiltered ? (
          <EmptyState title="No log lines match">Choose another level, time or text.</EmptyState>
        ) : (
          <EmptyState title="The log is empty">
            Lines that the plugin writes with console.log, its errors and messages of the server appear here.
          </EmptyState>
        ))}
      {log.data && log.data.count > 0 && (
        <>
          <div className="log log-whole" role="log" aria-live="off" aria-label="Log lines, newest first">
            {log.data.results.map(({ id, timestamp, type, message }) => (
              <LogLine key={id} timestamp={timestamp} level={type} message={message} />
            ))}
          </div>
          <Pager
            count={log.data.count}
            limit={LOG_LIMIT}
            page={page}
            onChange={(page) => setSearch({ ...filter, page })}
            noun="line"
          />
        </>
      )}
    </Stack>
  )
}
