import { Input, List, Select, SimpleGrid, Text } from '@mantine/core'
import { useMemo } from 'react'
import { hasOffsetDay, hasOffsetHour } from '../../../src/exports/interval.ts'
import { useNow } from '../parts/use-now.ts'
import type { ExportFormState } from './export-values.ts'
import {
  type Cadence,
  hourText,
  INTERVAL_LABELS,
  type Interval,
  nextBoundaries,
  WEEKDAYS,
  zoneLabel,
} from './schedule.ts'
import { ZoneTime } from './ZoneTime.tsx'

const NEXT_RUNS = 3
const MINUTE_MS = 60_000
/** Zones shown at a time. The others are found by typing. */
const SHOWN_ZONES = 100
/** Browsers list some zones by older names only. */
const MORE_ZONES = [
  'UTC',
  'Africa/Asmara',
  'America/Argentina/Buenos_Aires',
  'America/Nuuk',
  'Asia/Ho_Chi_Minh',
  'Asia/Kathmandu',
  'Asia/Kolkata',
  'Asia/Yangon',
  'Atlantic/Faroe',
  'Europe/Kyiv',
  'Pacific/Chuuk',
  'Pacific/Pohnpei',
]
const HOURS = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: hourText(hour) }))
const DAYS = WEEKDAYS.map((label, day) => ({ value: String(day), label }))

/** How often the export runs and, for days and weeks, at which local time. */
export function ScheduleFields({ form }: { form: ExportFormState }) {
  const { errors, values, setFieldValue } = form
  const { interval, timezone, offset_day, offset_hour } = values
  const zones = useMemo(
    () =>
      [...new Set([...Intl.supportedValuesOf('timeZone'), ...MORE_ZONES, timezone])]
        .sort()
        .map((zone) => ({ value: zone, label: zoneLabel(zone) })),
    [timezone],
  )
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label="Interval"
          description="How often it runs, and the length of the window of each run."
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          data={Object.entries(INTERVAL_LABELS).map(([value, label]) => ({ value, label }))}
          allowDeselect={false}
          value={interval}
          error={errors.interval}
          onChange={(chosen) => chosen && setFieldValue('interval', chosen as Interval)}
        />
        {hasOffsetHour(interval) && (
          <Select
            label="Time zone"
            description="Type a city or region to find it."
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            data={zones}
            limit={SHOWN_ZONES}
            searchable
            allowDeselect={false}
            nothingFoundMessage="No time zone has this name."
            value={timezone}
            error={errors.timezone}
            onChange={(zone) => zone && setFieldValue('timezone', zone)}
          />
        )}
        {hasOffsetDay(interval) && (
          <Select
            label="Day of the week"
            data={DAYS}
            allowDeselect={false}
            value={String(offset_day)}
            error={errors.offset_day}
            onChange={(day) => day !== null && setFieldValue('offset_day', Number(day))}
          />
        )}
        {hasOffsetHour(interval) && (
          <Select
            label="Hour"
            description="If the clocks skip it, the run starts when they change."
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            data={HOURS}
            allowDeselect={false}
            value={String(offset_hour)}
            error={errors.offset_hour}
            onChange={(hour) => hour !== null && setFieldValue('offset_hour', Number(hour))}
          />
        )}
      </SimpleGrid>
      {hasOffsetHour(interval) && <NextRuns value={values} />}
    </>
  )
}

function NextRuns({ value }: { value: Cadence }) {
  const now = useNow(MINUTE_MS)
  return (
    <div>
      <Input.Label component="div" id="next-runs">
        Next runs
      </Input.Label>
      <List size="sm" spacing={2} aria-labelledby="next-runs">
        {nextBoundaries(value, now, NEXT_RUNS).map((time) => (
          <List.Item key={time}>
            <ZoneTime value={time} zone={value.timezone} />
          </List.Item>
        ))}
      </List>
      <Text size="xs" c="dimmed" mt={4}>
        A change of the schedule neither loses nor repeats events.
      </Text>
    </div>
  )
}
