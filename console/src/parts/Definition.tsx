import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** A term with its value, in a `dl`. */
export function Definition({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="xs" c="dimmed">
        {term}
      </Text>
      <Text component="dd" m={0} size="sm" className="wrap">
        {children}
      </Text>
    </div>
  )
}
