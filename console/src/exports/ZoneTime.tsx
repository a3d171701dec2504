import { Text } from '@mantine/core'
import { localTime } from '../../../src/time/zones.ts'
import { zoneLabel } from './schedule.ts'

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

const formatIn = (zone: string, time: number): string =>
  new Intl.DateTimeFormat(undefined, {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: zone,
  }).format(time)

/** A time in the zone of an export and, if it differs, in the reader's own. */
export function ZoneTime({ value, zone }: { value: string; zone: string }) {
  const time = Date.parse(value)
  const isSame = localTime(zone, time) === localTime(OWN_ZONE, time)
  return (
    <>
      <time dateTime={value}>{formatIn(zone, time)}</time> ({zoneLabel(zone)})
      {!isSame && (
        <Text span inherit c="dimmed">
          {' '}
          · <time dateTime={value}>{formatIn(OWN_ZONE, time)}</time> your time
        </Text>
      )}
    </>
  )
}
