import './exports.css'
import { Button, Group, Skeleton, Stack, Table, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Schemas } from '../api.ts'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { relativeTime } from '../parts/format.ts'
import { PlusIcon, SearchIcon } from '../parts/icons.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Pager } from '../parts/Pager.tsx'
import { useNow } from '../parts/use-now.ts'
import { ExportBadge } from './badges.tsx'
import { DESTINATIONS, DestinationIcon, placeOf } from './destinations.tsx'
import { MODELS } from './models.ts'
import { EXPORT, EXPORTS_ID, NEW_EXPORT } from './paths.ts'
import { EXPORTS_PER_PAGE, exportsQuery } from './queries.ts'
import { RunBars } from './RunBars.tsx'
import { firstLine } from './run-status.ts'
import { scheduleText } from './schedule.ts'

const route = getRouteApi(EXPORTS_ID)

/** The exports of a project with their state, schedule and latest runs. */
export function ExportsPage() {
  const place = route.useParams()
  const { search, page = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  const exports = useQuery(exportsQuery(place.project, { search, page }))
  const now = useNow()
  const create = (
    <Button renderRoot={(props) => <Link to={NEW_EXPORT} params={place} {...props} />} leftSection={<PlusIcon />}>
      Create export
    </Button>
  )
  const isEmpty = exports.data?.count === 0 && search === undefined
  return (
    <>
      <PageHeader
        title="Exports"
        description="Deliver the events, persons and sessions of this project to files, buckets, databases and servers on a schedule."
        actions={isEmpty ? undefined : create}
      />
      {exports.error && <ErrorAlert error={exports.error} retry={() => void exports.refetch()} />}
      {isEmpty ? (
        <EmptyState title="No exports yet" action={create}>
          An export delivers new events every 5 or 15 minutes, every hour, day or week. Choose a destination, test the
          connection, and the first run starts at the end of the current interval.
        </EmptyState>
      ) : (
        <Stack gap="sm">
          <SearchField
            value={search ?? ''}
            onChange={(search) => void navigate({ search: { search: search || undefined }, replace: true })}
          />
          {exports.data ? (
            <ExportTable rows={exports.data.results} place={place} now={now} />
          ) : (
            exports.isPending && <TableSkeleton />
          )}
          {exports.data?.count === 0 && search !== undefined && (
            <EmptyState
              title="No export found"
              action={
                <Button variant="default" onClick={() => void navigate({ search: {} })}>
                  Clear search
                </Button>
              }
            >
              No export of this project has “{search}” in its name.
            </EmptyState>
          )}
          {exports.data && exports.data.count > 0 && (
            <Pager
              count={exports.data.count}
              limit={EXPORTS_PER_PAGE}
              page={page}
              noun="export"
              onChange={(page) => void navigate({ search: { search, page } })}
            />
          )}
        </Stack>
      )}
    </>
  )
}

/** Writes the text into the URL when the user stops typing. */
function SearchField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value)
  const apply = useDebouncedCallback(onChange, 250)
  // Back and forward change the URL without the field.
  useEffect(() => setText(value), [value])
  return (
    <TextInput
      type="search"
      aria-label="Search exports by name"
      placeholder="Search by name"
      leftSection={<SearchIcon size={16} />}
      maw={360}
      value={text}
      maxLength={400}
      onChange={(event) => {
        setText(event.currentTarget.value)
        apply(event.currentTarget.value.trim())
      }}
    />
  )
}

interface RowsProps {
  place: { organization: string; project: string }
  now: number
}

function ExportTable({ rows, ...props }: RowsProps & { rows: Schemas['BatchExport'][] }) {
  if (rows.length === 0) return null
  return (
    <Table className="cards" layout="auto" verticalSpacing="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name and destination</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th>Schedule</Table.Th>
          <Table.Th>Latest runs</Table.Th>
          <Table.Th>Last error</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <ExportRow key={row.id} row={row} {...props} />
        ))}
      </Table.Tbody>
    </Table>
  )
}

function ExportRow({ row, place, now }: RowsProps & { row: Schemas['BatchExport'] }) {
  const { next_run_at } = row
  const error = row.latest_runs[0]?.latest_error
  const rows = row.model === 'events' ? '' : `${MODELS[row.model].label} · `
  const destination = `${rows}${DESTINATIONS[row.destination.type].label} · ${placeOf(row.destination)}`
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="sm" wrap="nowrap" align="center">
          <DestinationIcon type={row.destination.type} />
          <div style={{ minWidth: 0 }}>
            <Link to={EXPORT} params={{ ...place, export: row.id }} className="row-link wrap">
              {row.name}
            </Link>
            <Text size="xs" c="dimmed" className="one-line" maw={{ base: 270, sm: 320 }} title={destination}>
              {destination}
            </Text>
          </div>
        </Group>
      </Table.Td>
      <Table.Td>
        <ExportBadge row={row} now={now} />
      </Table.Td>
      <Table.Td>
        <Text size="sm">{scheduleText(row)}</Text>
        <Text size="xs" c="dimmed">
          {next_run_at === null
            ? row.paused
              ? 'No next run while paused'
              : 'No further runs'
            : `Next run ${relativeTime(Date.parse(next_run_at), now)}`}
        </Text>
      </Table.Td>
      <Table.Td>
        <RunBars row={row} place={place} />
      </Table.Td>
      <Table.Td>
        {error ? (
          <Text
            size="sm"
            c="var(--mantine-color-error)"
            className="one-line"
            maw={{ base: 320, sm: 260 }}
            title={firstLine(error)}
          >
            {firstLine(error)}
          </Text>
        ) : null}
      </Table.Td>
    </Table.Tr>
  )
}

function TableSkeleton() {
  return (
    <Stack gap="xs" aria-hidden>
      {['a', 'b', 'c', 'd', 'e'].map((key) => (
        <Skeleton key={key} height={52} />
      ))}
    </Stack>
  )
}
