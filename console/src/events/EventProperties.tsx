import { ActionIcon, Tooltip } from '@mantine/core'
import { ExcludeIcon, FilterIcon } from '../parts/icons.tsx'
import { PropertiesTable, type Scalar } from './PropertiesTable.tsx'
import type { Operator, PropertyFilter } from './search.ts'
import type { View } from './view.ts'

export function FilterButton({
  label,
  onClick,
  isExclude,
}: {
  label: string
  onClick: () => void
  isExclude?: boolean
}) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" size="sm" aria-label={label} onClick={onClick}>
        {isExclude ? <ExcludeIcon /> : <FilterIcon />}
      </ActionIcon>
    </Tooltip>
  )
}

/** Properties of an event or a person, which can become filters. */
export function EventProperties({
  properties,
  type,
  search,
  filter,
  adjust,
  empty,
}: {
  properties: Record<string, unknown>
  type: PropertyFilter['type']
  empty: string
} & Pick<View, 'search' | 'filter' | 'adjust'>) {
  const add = (key: string, operator: Operator, value: Scalar): void => {
    filter({ properties: [...(search.properties ?? []), { key, operator, value, type }] })
  }
  return (
    <PropertiesTable
      {...{ properties, empty }}
      label={type === 'event' ? 'Properties of the event' : 'Properties of the person'}
      find={search.find}
      onFind={(find) => adjust({ find })}
      actions={(key, value) => (
        <>
          <FilterButton label={`Filter for ${key}: this value`} onClick={() => add(key, 'exact', value)} />
          <FilterButton label={`Exclude ${key}: this value`} onClick={() => add(key, 'is_not', value)} isExclude />
        </>
      )}
    />
  )
}
