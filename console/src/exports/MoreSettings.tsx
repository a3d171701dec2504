import { Button, Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { ChevronDownIcon, ChevronRightIcon } from '../parts/icons.tsx'

/** Settings that few exports need, folded. */
export function MoreSettings({
  isSet,
  hasError,
  children,
}: {
  /** Whether one of them has a value, so they start unfolded. */
  isSet: boolean
  hasError: boolean
  children: ReactNode
}) {
  const [opened, setOpened] = useState(isSet)
  const isOpen = opened || hasError
  return (
    <Stack gap="md" align="stretch">
      <Button
        variant="subtle"
        size="compact-sm"
        w="fit-content"
        ml={-8}
        leftSection={isOpen ? <ChevronDownIcon size={14} /> : <ChevronRightIcon size={14} />}
        aria-expanded={isOpen}
        onClick={() => setOpened(!isOpen)}
      >
        More settings
      </Button>
      {isOpen && children}
    </Stack>
  )
}
