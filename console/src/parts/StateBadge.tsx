import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'

/** A state as word and color. The text has the color of the page: the tinted text of Mantine has a contrast of 3.8. */
export function StateBadge({ color, children }: { color: 'green' | 'yellow' | 'red' | 'gray'; children: ReactNode }) {
  return (
    <Badge variant="light" color={color} tt="none" styles={{ label: { color: 'var(--mantine-color-text)' } }}>
      {children}
    </Badge>
  )
}
