import '@mantine/dates/styles.css'
import { Button, Group, Modal, SimpleGrid, Stack, Text } from '@mantine/core'
import { DateTimePicker } from '@mantine/dates'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { boundaryBefore } from '../../../src/exports/interval.ts'
import { instantOf, localTime } from '../../../src/time/zones.ts'
import { answer, client, type Schemas, WorkspaceError } from '../api.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { bytes, plural } from '../parts/format.ts'
import { useChange } from '../parts/use-change.ts'
import { estimateQuery, invalidateExport } from './queries.ts'
import { INTERVAL_LABELS, zoneLabel, zoneOf } from './schedule.ts'

const DAY_MS = 86_400_000
/** An estimate may read many events, so it waits until the range stays the same. */
const TYPING_MS = 300
const PRESETS = [
  { label: 'Last 24 hours', days: 1 },
  { label: 'Last 7 days', days: 7 },
  { label: 'Last 30 days', days: 30 },
]

/** The calendar works with local texts such as "2026-11-01 00:00:00". */
const toText = (local: number): string => new Date(local).toISOString().slice(0, 19).replace('T', ' ')
const toTime = (zone: string, text: string): string =>
  new Date(instantOf(zone, Date.parse(`${text.replace(' ', 'T')}Z`))).toISOString()

/** Chooses a time range to export, and shows how large it is before it starts. */
export default function BackfillDialog({
  row,
  project,
  close,
}: {
  row: Schemas['BatchExport']
  project: string
  close: () => void
}) {
  const zone = zoneOf(row)
  const latest = localTime(zone, Date.parse(boundaryBefore(row, new Date(Date.now()).toISOString())))
  /** Null is the earliest event. */
  const [start, setStart] = useState<string | null>(toText(latest - DAY_MS))
  const [end, setEnd] = useState<string | null>(toText(latest))
  const path = { project_id: project, batch_export_id: row.id }
  const body = { start_at: start && toTime(zone, start), end_at: toTime(zone, end ?? toText(latest)) }
  const [settled] = useDebouncedValue(JSON.stringify(body), TYPING_MS)
  const problem =
    end === null
      ? 'Choose an end.'
      : body.start_at !== null && body.start_at >= body.end_at
        ? 'The end must be later than the start.'
        : undefined
  const estimate = useQuery({ ...estimateQuery(project, row.id, settled), enabled: problem === undefined })
  const backfill = useChange({
    send: () =>
      answer(
        client.POST('/api/projects/{project_id}/batch_exports/{batch_export_id}/backfills/', {
          params: { path },
          body,
        }),
      ),
    done: ({ windows_total }) => `The backfill started. It has ${plural(windows_total, 'run')}.`,
    after: () => {
      close()
      return invalidateExport(project, row.id)
    },
  })
  const isSettled = settled === JSON.stringify(body)
  const failure = backfill.error ?? (isSettled && problem === undefined ? estimate.error : null)
  const errorAt = (attr: string): string | undefined =>
    failure instanceof WorkspaceError && failure.attr === attr ? failure.detail : undefined
  const choose = (from: string | null, to: string | null): void => {
    setStart(from)
    setEnd(to)
    backfill.reset()
  }
  return (
    <Modal opened onClose={close} title={`Backfill "${row.name}"`} size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          backfill.mutate()
        }}
      >
        <Stack>
          <Text size="sm">
            Exports the events with timestamps in this range, one interval after another, in addition to the scheduled
            runs. Times are in {zone === 'UTC' ? 'UTC' : `the time zone ${zoneLabel(zone)}`}.
          </Text>
          <Group gap="xs">
            {PRESETS.map(({ label, days }) => (
              <Button
                key={label}
                size="compact-sm"
                variant="default"
                onClick={() => choose(toText(latest - days * DAY_MS), toText(latest))}
              >
                {label}
              </Button>
            ))}
            <Button size="compact-sm" variant="default" onClick={() => choose(null, toText(latest))}>
              All events
            </Button>
          </Group>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <LocalTime
              label={`Start (${zoneLabel(zone)})`}
              zone={zone}
              placeholder="Earliest event"
              value={start}
              onChange={(value) => choose(value, end)}
              error={errorAt('start_at')}
            />
            <LocalTime
              label={`End (${zoneLabel(zone)}), exclusive`}
              zone={zone}
              placeholder="Choose a time"
              value={end}
              onChange={(value) => choose(start, value)}
              error={errorAt('end_at')}
            />
          </SimpleGrid>
          <Text size="sm" role="status" fw={500} mih={44} c={problem ? 'var(--mantine-color-error)' : undefined}>
            {problem ??
              (estimate.data && isSettled
                ? estimateText(row, estimate.data)
                : failure
                  ? 'This range cannot be exported.'
                  : 'Estimating the size…')}
          </Text>
          {failure && !errorAt('start_at') && !errorAt('end_at') && <ErrorAlert error={failure} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button
              type="submit"
              disabled={problem !== undefined || errorAt('start_at') !== undefined || errorAt('end_at') !== undefined}
              loading={backfill.isPending}
            >
              Start backfill
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** For example "This creates 24 runs, one for every hour, with about 1,200 rows and 3 MB." */
function estimateText({ interval }: Schemas['BatchExport'], estimate: Schemas['BackfillEstimate']): string {
  const { windows, records, exact, bytes: size } = estimate
  const rows = `${exact ? '' : 'about '}${plural(records, 'row')}`
  return `This creates ${plural(windows, 'run')}, one for ${INTERVAL_LABELS[interval].toLowerCase()}, with ${rows} and about ${bytes(size)}.`
}

/** A calendar with the time of the day. Weekends and other months have colors with too little contrast. */
function LocalTime({
  label,
  zone,
  placeholder,
  value,
  onChange,
  error,
}: {
  label: string
  zone: string
  placeholder: string
  value: string | null
  onChange: (value: string | null) => void
  error: string | undefined
}) {
  return (
    <DateTimePicker
      label={label}
      placeholder={placeholder}
      value={value}
      onChange={onChange}
      error={error}
      maxDate={toText(localTime(zone, Date.now()))}
      valueFormat="YYYY-MM-DD HH:mm"
      weekendDays={[]}
      hideOutsideDates
      previousLabel="Previous"
      nextLabel="Next"
      ariaLabels={{ previousMonth: 'Previous month', nextMonth: 'Next month' }}
      popoverProps={{ attributes: { dropdown: { 'aria-label': label } } }}
      timePickerProps={{ hoursInputLabel: 'Hours', minutesInputLabel: 'Minutes' }}
      submitButtonProps={{ 'aria-label': 'Apply time' }}
    />
  )
}
