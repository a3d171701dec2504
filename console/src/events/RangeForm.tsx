import { Box, Button, Group, SegmentedControl, TextInput, VisuallyHidden } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { PRESETS, startOf } from './range.ts'
import { ALL, DEFAULT_AFTER } from './search.ts'
import type { View } from './view.ts'

const CUSTOM = 'custom'

/** The time range: presets that move with the clock, or fixed times. */
export function RangeForm({ view: { search, filter } }: { view: View }) {
  const { after = DEFAULT_AFTER, before } = search
  const preset = before === undefined && PRESETS.some(({ value }) => value === after) ? after : CUSTOM
  const choose = (value: string): void => {
    if (value === CUSTOM) filter({ ...fixedRange(after), live: undefined })
    else filter({ after: value === DEFAULT_AFTER ? undefined : value, before: undefined })
  }
  return (
    <Group gap="sm" align="flex-end">
      <SegmentedControl
        size="xs"
        aria-label="Time range"
        value={preset}
        onChange={choose}
        data={[
          ...PRESETS.map(({ value, short, long }) => ({
            value,
            label: (
              <>
                <VisuallyHidden>{long}</VisuallyHidden>
                <span aria-hidden>{short}</span>
              </>
            ),
          })),
          { value: CUSTOM, label: 'Custom' },
        ]}
      />
      {preset === CUSTOM && (
        <CustomRange
          key={`${after} ${before}`}
          after={after}
          before={before}
          apply={(range) => filter({ ...range, live: undefined })}
        />
      )}
    </Group>
  )
}

/** The current range of a preset. */
const fixedRange = (after: string): Range => ({
  after: new Date(startOf(after) ?? startOf(DEFAULT_AFTER) ?? 0).toISOString(),
  before: new Date().toISOString(),
})

interface Range {
  after?: string
  before?: string
}

function CustomRange({ after, before, apply }: Range & { apply: (range: Range) => void }) {
  const [from, setFrom] = useState(localText(after))
  const [to, setTo] = useState(localText(before))
  const isReversed = from !== '' && to !== '' && from >= to
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isReversed) return
    // An empty start means all time.
    apply({ after: from === '' ? ALL : isoText(from), before: to === '' ? undefined : isoText(to) })
  }
  return (
    <Box component="form" onSubmit={submit}>
      <Group gap="xs" align="flex-start">
        <TextInput
          type="datetime-local"
          step={1}
          size="xs"
          aria-label="From"
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput
          type="datetime-local"
          step={1}
          size="xs"
          aria-label="To"
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
          error={isReversed && 'Choose a time after the start.'}
        />
        <Button type="submit" size="xs" variant="default">
          Apply range
        </Button>
      </Group>
    </Box>
  )
}

/** The time for an input, in the zone of the viewer. Empty for a relative time. */
function localText(time: string | undefined): string {
  const milliseconds = time === undefined ? Number.NaN : Date.parse(time)
  if (Number.isNaN(milliseconds) || !/^\d{4}-/.test(time ?? '')) return ''
  const offset = new Date(milliseconds).getTimezoneOffset() * 60_000
  return new Date(milliseconds - offset).toISOString().slice(0, 19)
}

const isoText = (local: string): string => new Date(local).toISOString()
