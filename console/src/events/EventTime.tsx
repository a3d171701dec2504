import { Tooltip } from '@mantine/core'
import { relativeTime } from '../parts/format.ts'

const precise = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })

export const preciseTime = (value: string): string => precise.format(new Date(value))

/** The time of an event to the second. The tooltip, which also opens on focus, shows the zone, the age and UTC. */
export function EventTime({ value }: { value: string }) {
  const date = new Date(value)
  return (
    <Tooltip
      label={`${absolute.format(date)} (${relativeTime(date.getTime(), Date.now())}) · ${value.replace('T', ' ').replace('Z', ' UTC')}`}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip must open by keyboard. */}
      <time dateTime={value} tabIndex={0}>
        {preciseTime(value)}
      </time>
    </Tooltip>
  )
}
