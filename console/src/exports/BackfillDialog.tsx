import '@mantine/dates/styles.css'
import { Button, Group, Modal, SimpleGrid, Stack, Text } from '@mantine/core'
import { DateTimePicker } from '@mantine/dates'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, client, type Schemas, WorkspaceError } from '../api.ts'
import { ErrorAlert, notifyDone } from '../parts/ErrorAlert.tsx'
import { count, plural } from '../parts/format.ts'
import { invalidateExport } from './queries.ts'
import { boundaryBefore, countWindows, INTERVAL_LABELS } from './schedule.ts'

const HOUR_MS = 3_600_000
/** The server accepts no more. */
const MAX_WINDOWS = 10_000
const PRESETS = [
  { label: 'Last 24 hours', hours: 24 },
  { label: 'Last 7 days', hours: 7 * 24 },
  { label: 'Last 30 days', hours: 30 * 24 },
]

/** The calendar works with texts such as "2026-11-01 00:00:00". They are taken as UTC, as windows are. */
const toUtc = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`)
const toText = (time: number): string => new Date(time).toISOString().slice(0, 19).replace('T', ' ')

/** Chooses a time range to export, and shows how many runs that takes. */
export default function BackfillDialog({
  row,
  project,
  close,
}: {
  row: Schemas['BatchExport']
  project: string
  close: () => void
}) {
  const latest = boundaryBefore(row.interval, Date.now())
  const [start, setStart] = useState<string | null>(toText(latest - 24 * HOUR_MS))
  const [end, setEnd] = useState<string | null>(toText(latest))
  const [from, to] = [start === null ? Number.NaN : toUtc(start), end === null ? Number.NaN : toUtc(end)]
  const windows = from < to ? countWindows(row.interval, from, to) : 0
  const backfill = useMutation({
    mutationFn: () =>
      answer(
        client.POST('/api/projects/{project_id}/batch_exports/{id}/backfill/', {
          params: { path: { project_id: project, id: row.id } },
          body: { start_at: new Date(from).toISOString(), end_at: new Date(to).toISOString() },
        }),
      ),
    onSuccess: async () => {
      close()
      notifyDone(`The backfill started. It has ${plural(windows, 'run')}.`)
      await invalidateExport(project, row.id)
    },
  })
  const errorAt = (attr: string): string | undefined =>
    backfill.error instanceof WorkspaceError && backfill.error.attr === attr ? backfill.error.detail : undefined
  const problem =
    start === null || end === null
      ? 'Choose a start and an end.'
      : from >= to
        ? 'The end must be later than the start.'
        : windows > MAX_WINDOWS
          ? `A backfill has at most ${count(MAX_WINDOWS)} runs. Choose a shorter range.`
          : undefined
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
            runs. Times are in UTC.
          </Text>
          <Group gap="xs">
            {PRESETS.map(({ label, hours }) => (
              <Button
                key={label}
                size="compact-sm"
                variant="default"
                onClick={() => {
                  setStart(toText(latest - hours * HOUR_MS))
                  setEnd(toText(latest))
                }}
              >
                {label}
              </Button>
            ))}
          </Group>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <UtcTime label="Start (UTC)" value={start} onChange={setStart} error={errorAt('start_at')} />
            <UtcTime label="End (UTC), exclusive" value={end} onChange={setEnd} error={errorAt('end_at')} />
          </SimpleGrid>
          <Text size="sm" role="status" fw={500} c={problem ? 'var(--mantine-color-error)' : undefined}>
            {problem ??
              `This creates ${plural(windows, 'run')}: one for ${INTERVAL_LABELS[row.interval].toLowerCase()}.`}
          </Text>
          {backfill.error && !errorAt('start_at') && !errorAt('end_at') && <ErrorAlert error={backfill.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" disabled={problem !== undefined} loading={backfill.isPending}>
              Start backfill
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** A calendar with the time of the day. Weekends and other months have colors with too little contrast. */
function UtcTime({
  label,
  value,
  onChange,
  error,
}: {
  label: string
  value: string | null
  onChange: (value: string | null) => void
  error: string | undefined
}) {
  return (
    <DateTimePicker
      label={label}
      value={value}
      onChange={onChange}
      error={error}
      maxDate={toText(Date.now())}
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
