import { Group, NativeSelect, SegmentedControl, Switch } from '@mantine/core'
import { BreakdownControl } from './BreakdownControl.tsx'
import { fits, lengthOf } from './range.ts'
import { ALL, DEFAULT_AFTER, INTERVALS } from './search.ts'
import type { View } from './view.ts'

const NAMES = { minute: 'By minute', hour: 'By hour', day: 'By day', week: 'By week' }

/** Chooses the count, the interval, the series and the comparison of the chart. */
export function TrendControls({ project_id, view }: { project_id: string; view: View }) {
  const { search, show } = view
  const { after = DEFAULT_AFTER, before } = search
  const length = lengthOf(after, before)
  const isAll = after === ALL
  return (
    <Group gap="xs" role="group" aria-label="Chart">
      <SegmentedControl
        size="xs"
        aria-label="Count"
        value={search.measure ?? 'events'}
        onChange={(value) => show({ measure: value === 'persons' ? 'persons' : undefined })}
        data={[
          { value: 'events', label: 'Events' },
          { value: 'persons', label: 'Unique persons' },
        ]}
      />
      <NativeSelect
        size="xs"
        aria-label="Interval"
        value={search.interval ?? ''}
        onChange={({ currentTarget: { value } }) => show({ interval: INTERVALS.find((one) => one === value) })}
        data={[
          { value: '', label: 'Interval: auto' },
          ...INTERVALS.map((value) => ({
            value,
            label: NAMES[value],
            // The time range has too many of them.
            disabled: length !== undefined && !fits(value, length),
          })),
        ]}
      />
      <BreakdownControl project_id={project_id} view={view} />
      <Switch
        size="xs"
        label={isAll ? 'All time has no period before' : 'Compare with the period before'}
        disabled={isAll}
        checked={search.compare === true && !isAll}
        onChange={({ currentTarget: { checked } }) => show({ compare: checked ? true : undefined })}
      />
    </Group>
  )
}
