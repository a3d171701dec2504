import { Tooltip } from '@mantine/core'
import { relativeTime } from './format.ts'
import { useNow } from './use-now.ts'

const MINUTE_MS = 60_000
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })
const utc = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })
const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** A time in the viewer's zone. The tooltip, which also opens on focus, shows the zone and UTC. */
export function Time({ value, format = 'relative' }: { value: string | null; format?: 'relative' | 'absolute' }) {
  const now = useNow(MINUTE_MS)
  if (value === null) return <>–</>
  const date = new Date(value)
  return (
    <Tooltip label={`${absolute.format(date)} · ${utc.format(date)} UTC`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip must open by keyboard. */}
      <time dateTime={value} tabIndex={0}>
        {format === 'relative' ? relativeTime(date.getTime(), now) : short.format(date)}
      </time>
    </Tooltip>
  )
}
