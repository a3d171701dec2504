/** The parts that the logs of exports and of plugins share. */
import './log.css'
import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { SearchIcon } from './icons.tsx'

interface LogEntry {
  timestamp?: string
  level: string
  message: string
}

/** One line, in an element with the class `log`. The level is a word and a color. */
export function LogLine({ timestamp, level, message }: LogEntry) {
  return (
    <div className={`log-line log-${level}${timestamp === undefined ? ' log-line-untimed' : ''}`}>
      {timestamp !== undefined && (
        <time dateTime={timestamp} title={timestamp}>
          {clock.format(new Date(timestamp))}
        </time>
      )}
      <span>{level}</span>
      <span>{message}</span>
    </div>
  )
}

const clock = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  timeStyle: undefined,
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
})

/** Searches while the user types. */
export function TextFilter({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value)
  const apply = useDebouncedCallback(onChange, 250)
  useEffect(() => setText(value), [value])
  return (
    <TextInput
      type="search"
      label="Text"
      placeholder="Part of the message"
      leftSection={<SearchIcon size={14} />}
      size="xs"
      w={200}
      maxLength={400}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        apply(event.currentTarget.value)
      }}
    />
  )
}
