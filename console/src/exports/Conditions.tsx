import { Group, Input, Stack, Text } from '@mantine/core'
import type { WorkspaceError } from '../api.ts'
import { describeFilter } from '../events/describe.ts'
import { EventNamesForm } from '../events/EventNamesForm.tsx'
import { PropertyForm } from '../events/PropertyForm.tsx'
import { OPERATORS, type PropertyFilter } from '../events/search.ts'
import { FilterControl, FilterPill } from '../parts/FilterPill.tsx'
import { itemError } from '../parts/field-error.ts'
import type { ExportFormState } from './export-values.ts'

/** The condition if the form can show it. Groups and conditions of other types come from the API. */
function asPropertyFilter(item: unknown): PropertyFilter | undefined {
  if (typeof item !== 'object' || item === null) return undefined
  const { key, operator = 'exact', value, type = 'event', ...rest } = item as Partial<PropertyFilter>
  const isKnown = OPERATORS.some((name) => name === operator) && (type === 'event' || type === 'person')
  if (typeof key !== 'string' || !isKnown || Object.keys(rest).length > 0) return undefined
  return { key, operator, type, ...(value !== undefined && { value }) }
}

/** Which events are exported: by name and by conditions on properties, as on the events page. */
export function Conditions({
  form,
  project,
  failure,
  previewError,
}: {
  form: ExportFormState
  project: string
  /** The error of the last request that saved the form. */
  failure: unknown
  /** The error of the preview if it is about a filter. */
  previewError: WorkspaceError | undefined
}) {
  const { include_events, exclude_events, filters } = form.values
  const saved = form.errors.filters ?? form.errors.include_events ?? form.errors.exclude_events
  const error = saved ?? previewError?.detail
  const wrong = itemError(form.errors.filters ? failure : previewError, 'filters')
  const setFilters = (next: unknown[]): void => form.setFieldValue('filters', next)
  const replace = (index: number, next?: PropertyFilter): void =>
    setFilters(filters.flatMap((old, i) => (i !== index ? [old] : next ? [next] : [])))
  const event = include_events.length ? include_events : undefined
  return (
    <Stack gap={6}>
      <Input.Label component="div" id="export-filters">
        Filters
      </Input.Label>
      <Group gap={8} role="group" aria-labelledby="export-filters">
        <EventNames form={form} project={project} list="include_events" label="Event" words="Event is" />
        <EventNames form={form} project={project} list="exclude_events" label="Excluded event" words="Event is not" />
        {filters.map((item, i) => {
          const filter = asPropertyFilter(item)
          const text = filter ? describeFilter(filter) : JSON.stringify(item)
          return filter ? (
            <FilterControl
              // biome-ignore lint/suspicious/noArrayIndexKey: two conditions may be equal.
              key={`${i} ${text}`}
              label="Property"
              text={text}
              isWrong={wrong?.index === i}
              remove={() => replace(i)}
              form={(close) => (
                <PropertyForm
                  {...{ project_id: project, event, initial: filter }}
                  submit={(next) => {
                    close()
                    replace(i, next)
                  }}
                />
              )}
            />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: two conditions may be equal.
            <FilterPill key={`${i} ${text}`} text={text} isWrong={wrong?.index === i} remove={() => replace(i)}>
              <Text size="xs" px={8} className="filter-text mono" title={text}>
                {text}
              </Text>
            </FilterPill>
          )
        })}
        <FilterControl
          label="Property"
          form={(close) => (
            <PropertyForm
              {...{ project_id: project, event }}
              submit={(item) => {
                close()
                setFilters([...filters, item])
              }}
            />
          )}
        />
      </Group>
      {error ? (
        <Input.Error role="alert">{error}</Input.Error>
      ) : (
        <Text size="xs" c="dimmed">
          {event || exclude_events.length || filters.length
            ? 'Only events that match all of them are exported.'
            : 'All events are exported.'}
        </Text>
      )}
    </Stack>
  )
}

function EventNames({
  form,
  project,
  list,
  label,
  words,
}: {
  form: ExportFormState
  project: string
  list: 'include_events' | 'exclude_events'
  label: string
  words: string
}) {
  const chosen = form.values[list]
  return (
    <FilterControl
      label={label}
      text={chosen.length ? `${words} ${chosen.join(' or ')}` : undefined}
      isWrong={form.errors[list] !== undefined}
      remove={() => form.setFieldValue(list, [])}
      form={(close) => (
        <EventNamesForm
          project_id={project}
          chosen={chosen}
          onChange={(names) => form.setFieldValue(list, names)}
          close={close}
        />
      )}
    />
  )
}
