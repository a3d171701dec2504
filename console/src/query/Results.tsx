import { Button, Group, Paper, SegmentedControl, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { NoEventsYet } from '../events/NoEventsYet.tsx'
import { anyEventQuery } from '../events/queries.ts'
import { download } from '../parts/download.ts'
import { EmptyState } from '../parts/EmptyState.tsx'
import { count, duration, plural } from '../parts/format.ts'
import { DownloadIcon } from '../parts/icons.tsx'
import { useProject } from '../shell/workspace.ts'
import type { QueryResult } from './queries.ts'
import { ResultChart } from './ResultChart.tsx'
import { ResultTable } from './ResultTable.tsx'
import { RowDialog } from './RowDialog.tsx'
import { csvOf, jsonOf, sortedRows } from './result.ts'
import type { QueryText } from './use-query-text.ts'

/** The rows of a query as a table or a chart, how they were found, and as files. */
export function Results({ result, view: { search, show } }: { result: QueryResult; view: QueryText }) {
  const rows = useMemo(() => sortedRows(result, search.sort), [result, search.sort])
  const [opened, setOpened] = useState<number>()
  const row = opened === undefined ? undefined : rows[opened]
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start">
        <Summary result={result} />
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label="View"
            data={[
              { label: 'Table', value: 'table' },
              { label: 'Chart', value: 'chart' },
            ]}
            value={search.view ?? 'table'}
            onChange={(view) => show({ view: view === 'chart' ? view : undefined })}
          />
          <Button
            size="xs"
            variant="default"
            leftSection={<DownloadIcon size={14} />}
            onClick={() => download('query.csv', csvOf(result, rows), 'text/csv')}
            aria-label="Download CSV"
          >
            CSV
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<DownloadIcon size={14} />}
            onClick={() => download('query.json', jsonOf(result, rows), 'application/json')}
            aria-label="Download JSON"
          >
            JSON
          </Button>
        </Group>
      </Group>
      {rows.length === 0 ? (
        <NoRows />
      ) : search.view === 'chart' ? (
        <Paper withBorder p="sm" component="section" aria-label="Chart of the result">
          <ResultChart {...{ result, rows, search }} onChange={show} />
        </Paper>
      ) : (
        <ResultTable
          {...{ result, rows }}
          sort={search.sort}
          onSort={(sort) => show({ sort })}
          onOpen={(index) => setOpened(index)}
        />
      )}
      {result.hasMore && (
        <Text size="sm" c="dimmed">
          More rows match. The limit of this query is {count(result.limit)} rows: add LIMIT, at most 50,000, or OFFSET.
        </Text>
      )}
      {row && opened !== undefined && (
        <RowDialog columns={result.columns} row={row} number={opened + 1} close={() => setOpened(undefined)} />
      )}
    </Stack>
  )
}

const WAYS = { counts: 'hourly counts', index: 'an index', mirror: 'the mirror', rows: 'rows' }

function Summary({ result: { results, hasMore, timings, rows_read, explain } }: { result: QueryResult }) {
  const seconds = timings.reduce((sum, { t }) => sum + t, 0)
  return (
    <div>
      <Text size="sm" role="status">
        <b>{hasMore ? `First ${plural(results.length, 'row')}` : plural(results.length, 'row')}</b>{' '}
        <Text span c="dimmed" size="sm">
          in {duration(seconds * 1000)}, {plural(rows_read, 'row')} read
        </Text>
      </Text>
      {explain && (
        <Text size="xs" c="dimmed" className="wrap" maw={640}>
          Answered from {WAYS[explain.way]}. {explain.detail}
        </Text>
      )}
    </div>
  )
}

function NoRows() {
  const project = useProject()
  const any = useQuery(anyEventQuery(String(project.id)))
  if (any.data === false) return <NoEventsYet>The project has no events that a query could find.</NoEventsYet>
  return (
    <EmptyState title="No rows">
      No row matches the conditions of the query. Use a longer time range, or remove a condition.
    </EmptyState>
  )
}
