import { Button, Group, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { ConditionForm } from '../parts/ConditionForm.tsx'
import { AddFilterButton, FilterControl, FilterPill } from '../parts/FilterPill.tsx'
import { itemError } from '../parts/field-error.ts'
import { CloseIcon } from '../parts/icons.tsx'
import { placeIn } from '../parts/query-place.ts'
import { DistinctIdForm } from './DistinctIdForm.tsx'
import { describeFilter } from './describe.ts'
import { EventNamesForm } from './EventNamesForm.tsx'
import { PropertyForm } from './PropertyForm.tsx'
import { isFiltered, whereErrorOf } from './queries.ts'
import type { PropertyFilter } from './search.ts'
import type { View } from './view.ts'

/** The filters as pills that can be changed and removed, and buttons that add more. */
export function Filters({ project_id, view, error }: { project_id: string; view: View; error: unknown }) {
  const { search, filter } = view
  const { event = [], properties = [], distinct_id, person_id, where } = search
  const [editsWhere, setEditsWhere] = useState(false)
  // An expression that is applied stays visible until it is removed.
  useEffect(() => {
    if (where !== undefined) setEditsWhere(false)
  }, [where])
  const wrong = itemError(error, 'properties')
  const whereError = whereErrorOf(error)
  const replace = (index: number, next?: PropertyFilter): void =>
    filter({ properties: nonEmpty(properties.flatMap((old, i) => (i !== index ? [old] : next ? [next] : []))) })
  return (
    <Stack gap="xs">
      <Group gap={8} role="group" aria-label="Filters">
        <FilterControl
          label="Event"
          text={event.length ? `Event is ${event.join(' or ')}` : undefined}
          remove={() => filter({ event: undefined })}
          form={(close) => (
            <EventNamesForm
              {...{ project_id, close }}
              chosen={event}
              onChange={(names) => filter({ event: nonEmpty(names) })}
            />
          )}
        />
        {properties.map((item, i) => (
          <FilterControl
            // biome-ignore lint/suspicious/noArrayIndexKey: two filters may be equal.
            key={`${i} ${describeFilter(item)}`}
            label="Property"
            text={describeFilter(item)}
            isWrong={wrong?.index === i}
            remove={() => replace(i)}
            form={(close) => (
              <PropertyForm
                {...{ project_id, event: search.event, initial: item }}
                submit={(next) => {
                  close()
                  replace(i, next)
                }}
              />
            )}
          />
        ))}
        <FilterControl
          label="Property"
          form={(close) => (
            <PropertyForm
              {...{ project_id, event: search.event }}
              submit={(item) => {
                close()
                filter({ properties: [...properties, item] })
              }}
            />
          )}
        />
        <FilterControl
          label="Distinct id"
          text={distinct_id === undefined ? undefined : `Distinct id is ${distinct_id}`}
          remove={() => filter({ distinct_id: undefined })}
          form={(close) => <DistinctIdForm {...{ view, close }} />}
        />
        {person_id !== undefined && (
          <FilterPill text={`Person is ${person_id}`} remove={() => filter({ person_id: undefined })}>
            <Text size="sm" px={8} className="filter-text">
              Person is {person_id}
            </Text>
          </FilterPill>
        )}
        {where === undefined && !editsWhere && (
          <AddFilterButton label="HogQL expression" onClick={() => setEditsWhere(true)} />
        )}
        {isFiltered(search) && (
          <Button
            variant="default"
            size="compact-sm"
            fw={400}
            leftSection={<CloseIcon size={14} />}
            onClick={() => filter(NO_FILTERS)}
          >
            Clear filters
          </Button>
        )}
      </Group>
      {wrong && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" className="wrap">
          {wrong.detail}
        </Text>
      )}
      {(where !== undefined || editsWhere) && (
        <ConditionForm
          applied={where ?? ''}
          label="HogQL expression"
          placeholder="properties.amount > 100 and event != 'test'"
          error={whereError && { detail: whereError.detail, offset: placeIn(where ?? '', whereError) }}
          apply={(where) => filter({ where })}
          remove={() => {
            setEditsWhere(false)
            filter({ where: undefined })
          }}
        />
      )}
    </Stack>
  )
}

const nonEmpty = <Item,>(items: Item[]): Item[] | undefined => (items.length ? items : undefined)

export const NO_FILTERS = {
  event: undefined,
  properties: undefined,
  distinct_id: undefined,
  person_id: undefined,
  where: undefined,
}
