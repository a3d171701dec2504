import { Group, Stack, Table, Text } from '@mantine/core'
import { count, plural } from '../parts/format.ts'
import { Time } from '../parts/Time.tsx'
import { useNow } from '../parts/use-now.ts'
import { average, callsOf, type Metric, sum } from './metrics.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

const clock = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' })

/** One bar per hour. The failed part is at the bottom and striped, so it does not need its color. */
export function HourChart({ rows, hours }: { rows: Metric[]; hours: number }) {
  const now = useNow(MINUTE_MS)
  const last = Math.floor(now / HOUR_MS) * HOUR_MS
  const bars = Array.from({ length: hours + 1 }, (_, i) => {
    const start = last - (hours - i) * HOUR_MS
    const own = rows.filter(({ hour }) => Date.parse(hour) === start)
    return { start, calls: sum(own, callsOf), failures: sum(own, ({ failures }) => failures) }
  })
  const most = Math.max(1, ...bars.map(({ calls }) => calls))
  const share = (value: number): string => `${(value / most) * 100}%`
  const summary = `${plural(sum(rows, callsOf), 'call')}, at most ${count(most)} in one hour`
  return (
    <Stack gap={4}>
      <Group gap="md">
        <Key name="good" label="Succeeded" />
        <Key name="bad" label="Failed" />
      </Group>
      <div className="hour-bars" role="img" aria-label={summary}>
        {bars.map(({ start, calls, failures }) => (
          <div
            key={start}
            className="hour-bar"
            title={`${clock.format(start)}: ${plural(calls, 'call')}, ${count(failures)} failed`}
          >
            <span className="hour-good" style={{ height: share(calls - failures) }} />
            <span className="hour-bad" style={{ height: share(failures) }} />
          </div>
        ))}
      </div>
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          {clock.format(bars[0]?.start)}
        </Text>
        <Text size="xs" c="dimmed">
          {summary}
        </Text>
        <Text size="xs" c="dimmed">
          Now
        </Text>
      </Group>
    </Stack>
  )
}

const Key = ({ name, label }: { name: 'good' | 'bad'; label: string }) => (
  <Group gap={6}>
    <span className={`hour-key hour-${name}`} />
    <Text size="xs">{label}</Text>
  </Group>
)

const COLUMNS = ['Calls', 'Failed', 'Dropped', 'Changed', 'Average time']

export function HourTable({ rows }: { rows: Metric[] }) {
  return (
    <Table.ScrollContainer minWidth={560} type="native" pos="relative">
      <Table aria-label="Calls by hour and kind">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Hour</Table.Th>
            <Table.Th>Kind</Table.Th>
            {COLUMNS.map((column) => (
              <Table.Th key={column} ta="right">
                {column}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={`${row.hour} ${row.category}`}>
              <Table.Td>
                <Time value={row.hour} format="absolute" />
              </Table.Td>
              <Table.Td className="mono">{row.category}</Table.Td>
              <Table.Td ta="right">{count(callsOf(row))}</Table.Td>
              <Table.Td ta="right">{count(row.failures)}</Table.Td>
              <Table.Td ta="right">{count(row.dropped)}</Table.Td>
              <Table.Td ta="right">{count(row.changed)}</Table.Td>
              <Table.Td ta="right">{average(row.milliseconds, callsOf(row))}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
