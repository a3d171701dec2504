import { Badge, type MantineColor } from '@mantine/core'
import type { ReactNode } from 'react'

/** A state as word and color. The tinted text of other badges has a contrast of 3.8. */
export function StateBadge({ color, children }: { color: MantineColor; children: ReactNode }) {
  return (
    <Badge variant="dot" color={color} tt="none" fw={500} size="md">
      {children}
    </Badge>
  )
}
