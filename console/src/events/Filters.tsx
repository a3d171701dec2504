import { Box, Button, CloseButton, Group, Popover, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { ConditionForm } from '../parts/ConditionForm.tsx'
import { CloseIcon, PlusIcon } from '../parts/icons.tsx'
import { placeIn } from '../parts/query-place.ts'
import { describeFilter } from './describe.ts'
import { EventNamesForm } from './EventNamesForm.tsx'
import { PropertyForm } from './PropertyForm.tsx'
import { isFiltered, propertyErrorOf, whereErrorOf } from './queries.ts'
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
  const wrong = propertyErrorOf(error)
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
          form={(close) => <EventNamesForm {...{ project_id, view, close }} />}
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
          <Pill text={`Person is ${person_id}`} remove={() => filter({ person_id: undefined })}>
            <Text size="sm" px={8} className="filter-text">
              Person is {person_id}
            </Text>
          </Pill>
        )}
        {where === undefined && !editsWhere && (
          <AddButton label="HogQL expression" onClick={() => setEditsWhere(true)} />
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
          placeholder="toFloat(properties.amount) > 100 and event != 'test'"
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

type Form = (close: () => void) => ReactNode

/** A button that adds a filter. With `text`, a pill that shows the filter, changes it and removes it. */
function FilterControl({
  label,
  text,
  isWrong,
  remove,
  form,
}: {
  label: string
  text?: string | undefined
  isWrong?: boolean
  remove?: () => void
  form: Form
}) {
  const [opened, setOpened] = useState(false)
  const target = {
    onClick: () => setOpened(!opened),
    'aria-expanded': opened,
    'aria-haspopup': 'dialog' as const,
  }
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-start"
      width={320}
      shadow="md"
      trapFocus
      returnFocus
      withRoles={false}
    >
      <Popover.Target>
        <Box maw="100%" miw={0}>
          {text === undefined ? (
            <AddButton label={label} {...target} />
          ) : (
            <Pill text={text} isWrong={isWrong} remove={remove}>
              <UnstyledButton
                className="filter-text"
                px={8}
                fz="sm"
                fw={500}
                c="var(--mantine-color-anchor)"
                aria-label={`Change filter: ${text}`}
                {...target}
              >
                {text}
              </UnstyledButton>
            </Pill>
          )}
        </Box>
      </Popover.Target>
      <Popover.Dropdown
        role="dialog"
        aria-label={text === undefined ? `Add filter: ${label}` : `Change filter: ${text}`}
      >
        {form(() => setOpened(false))}
      </Popover.Dropdown>
    </Popover>
  )
}

function AddButton({ label, ...props }: { label: string; onClick: () => void }) {
  return (
    <Button
      variant="default"
      size="compact-sm"
      fw={400}
      leftSection={<PlusIcon size={14} />}
      aria-label={`Add filter: ${label}`}
      {...props}
    >
      {label}
    </Button>
  )
}

function Pill({
  text,
  isWrong,
  remove,
  children,
}: {
  text: string
  isWrong?: boolean
  remove?: () => void
  children: ReactNode
}) {
  return (
    <Group gap={0} wrap="nowrap" maw="100%" className="filter-pill" data-wrong={isWrong || undefined}>
      {children}
      <CloseButton size="sm" aria-label={`Remove filter: ${text}`} onClick={remove} />
    </Group>
  )
}

function DistinctIdForm({ view: { search, filter }, close }: { view: View; close: () => void }) {
  const [text, setText] = useState(search.distinct_id ?? '')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        close()
        filter({ distinct_id: text.trim() || undefined })
      }}
    >
      <Stack gap="sm">
        <TextInput
          label="Distinct id"
          description="The exact distinct id of the events."
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          maxLength={400}
          data-autofocus
        />
        <Group justify="flex-end">
          <Button type="submit" size="xs">
            Apply filter
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
