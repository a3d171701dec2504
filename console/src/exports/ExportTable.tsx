import './exports.css'
import { Group, Table, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Schemas } from '../api.ts'
import { relativeTime } from '../parts/format.ts'
import { ExportBadge } from './badges.tsx'
import { DESTINATIONS, DestinationIcon, placeOf } from './destinations.tsx'
import { MODELS } from './models.ts'
import { EXPORT } from './paths.ts'
import { RunBars } from './RunBars.tsx'
import { firstLine } from './run-status.ts'
import { scheduleText } from './schedule.ts'

interface RowsProps {
  place: { organization: string; project: string }
  now: number
}

/** Exports with their state, schedule and latest runs. On a phone each is a card. */
export function ExportTable({ rows, ...props }: RowsProps & { rows: Schemas['BatchExport'][] }) {
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
