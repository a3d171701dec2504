import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useLayoutEffect, useRef, useState } from 'react'
import { answer, client, type Schemas } from '../api.ts'
import { download } from '../parts/download.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { count, plural } from '../parts/format.ts'
import { DownloadIcon } from '../parts/icons.tsx'
import { LogLine, TextFilter } from '../parts/log.tsx'

type Level = Schemas['BatchExportLogLevel']
type Entry = Schemas['BatchExportLogEntry']

const LEVELS: Level[] = ['DEBUG', 'LOG', 'INFO', 'WARNING', 'ERROR']
const FIRST_LINES = 200
/** The largest page of the API. */
const MAX_LINES = 1_000
/** Closer to the end than this counts as at the end. */
const END_PX = 24

const LEVEL_OPTIONS = [
  { value: 'DEBUG', label: 'All levels' },
  { value: 'INFO', label: 'Info and above' },
  { value: 'WARNING', label: 'Warnings and errors' },
  { value: 'ERROR', label: 'Errors only' },
]

export interface LogFilter {
  level?: string
  text?: string
}

/** The log of an export or of one run, newest line last. It follows new lines until the user scrolls up. */
export function LogView({
  project,
  batch_export_id,
  run_id,
  name,
  poll_ms,
  filter,
  onFilter,
}: {
  project: string
  batch_export_id: string
  run_id?: string
  /** Part of the name of the downloaded file. */
  name: string
  poll_ms: number | false
  filter: LogFilter
  onFilter: (filter: LogFilter) => void
}) {
  const [limit, setLimit] = useState(FIRST_LINES)
  const lowest = LEVELS.indexOf(filter.level as Level)
  const query = {
    limit,
    ...(lowest > 0 && { level: LEVELS.slice(lowest) }),
    ...(filter.text && { search: filter.text }),
  }
  const log = useQuery({
    queryKey: ['export', project, batch_export_id, 'log', run_id, query],
    queryFn: () =>
      answer(
        run_id === undefined
          ? client.GET('/api/projects/{project_id}/batch_exports/{batch_export_id}/logs/', {
              params: { path: { project_id: project, batch_export_id }, query },
            })
          : client.GET('/api/projects/{project_id}/batch_exports/{batch_export_id}/runs/{run_id}/logs/', {
              params: { path: { project_id: project, batch_export_id, run_id }, query },
            }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: poll_ms,
  })
  const lines = log.data?.results.toReversed() ?? []
  const more = (log.data?.count ?? 0) - lines.length
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs" align="flex-end">
        <Group gap="xs" align="flex-end">
          <Select
            label="Level"
            data={LEVEL_OPTIONS}
            value={lowest > 0 ? (filter.level ?? null) : 'DEBUG'}
            onChange={(level) => onFilter({ ...filter, level: level === 'DEBUG' ? undefined : (level ?? undefined) })}
            allowDeselect={false}
            size="xs"
            w={170}
          />
          <TextFilter value={filter.text ?? ''} onChange={(text) => onFilter({ ...filter, text: text || undefined })} />
        </Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<DownloadIcon size={14} />}
          disabled={lines.length === 0}
          onClick={() => download(`${name}.log`, lines.map(lineText).join(''))}
        >
          Download lines
        </Button>
      </Group>
      {log.error && <ErrorAlert error={log.error} retry={() => void log.refetch()} />}
      <Lines lines={lines} isShort={run_id !== undefined} isLoading={log.isPending} />
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          {more > 0
            ? `The last ${count(lines.length)} of ${plural(log.data?.count ?? 0, 'line')}`
            : plural(lines.length, 'line')}
          {poll_ms === false ? '' : ' · updates by itself'}
        </Text>
        {more > 0 &&
          (limit < MAX_LINES ? (
            <Button size="compact-xs" variant="subtle" onClick={() => setLimit(MAX_LINES)}>
              Show up to {count(MAX_LINES)} lines
            </Button>
          ) : (
            <Text size="xs" c="dimmed">
              Filter by text or level to see earlier lines.
            </Text>
          ))}
      </Group>
    </Stack>
  )
}

function Lines({ lines, isShort, isLoading }: { lines: Entry[]; isShort: boolean; isLoading: boolean }) {
  const box = useRef<HTMLDivElement>(null)
  const [follows, setFollows] = useState(true)
  const jump = (): void => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight
  }
  const newest = lines.at(-1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only new lines scroll the log.
  useLayoutEffect(() => {
    if (follows) jump()
  }, [newest?.timestamp, newest?.message, lines.length])
  return (
    <div style={{ position: 'relative' }}>
      <div
        ref={box}
        className={isShort ? 'log log-short' : 'log'}
        role="log"
        aria-label="Log lines"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
          setFollows(scrollHeight - scrollTop - clientHeight < END_PX)
        }
      >
        {lines.map((entry, i) => (
          // Entries have no id, and several may have the same time.
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are only appended.
          <LogLine key={`${entry.timestamp} ${i}`} {...entry} />
        ))}
        {lines.length === 0 && (
          <Text size="sm" c="dimmed">
            {isLoading ? 'Loading the log…' : 'No log lines match.'}
          </Text>
        )}
      </div>
      {!follows && (
        <Button
          size="xs"
          pos="absolute"
          bottom={12}
          right={24}
          onClick={() => {
            jump()
            setFollows(true)
          }}
        >
          Jump to end
        </Button>
      )}
    </div>
  )
}

const lineText = ({ timestamp, level, message }: Entry): string => `${timestamp} ${level} ${message}\n`
