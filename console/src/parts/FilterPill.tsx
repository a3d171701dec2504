/** Filters as pills that can be changed and removed, and buttons that add more. */
import './filter-pill.css'
import { Box, Button, CloseButton, Group, Popover, UnstyledButton } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { PlusIcon } from './icons.tsx'

type PillForm = (close: () => void) => ReactNode

/** A button that adds a filter. With `text`, a pill that shows the filter, changes it and removes it. */
export function FilterControl({
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
  form: PillForm
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
            <AddFilterButton label={label} {...target} />
          ) : (
            <FilterPill text={text} isWrong={isWrong} remove={remove}>
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
            </FilterPill>
          )}
        </Box>
      </Popover.Target>
      <Popover.Dropdown
        role="dialog"
        aria-label={text === undefined ? `Add filter: ${label}` : `Change filter: ${text}`}
        // React passes the event on to a form around the pill, although the dropdown is outside of it.
        onSubmit={(event) => event.stopPropagation()}
      >
        {form(() => setOpened(false))}
      </Popover.Dropdown>
    </Popover>
  )
}

export function AddFilterButton({ label, ...props }: { label: string; onClick: () => void }) {
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

export function FilterPill({
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
