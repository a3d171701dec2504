import { Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'
import { relativeTime } from './format.ts'

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })
const utc = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })
const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** Rerenders once a minute, so relative times stay right. */
function useMinute(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 60_000)
    return () => clearInterval(timer)
  }, [])
  return now
}

/** A time in the viewer's zone. The tooltip, which also opens on focus, shows the zone and UTC. */
export function Time({ value, format = 'relative' }: { value: string | null; format?: 'relative' | 'absolute' }) {
  const now = useMinute()
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
