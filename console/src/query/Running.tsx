import { Group, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import { duration } from '../parts/format.ts'
import { useNow } from '../parts/use-now.ts'

/** Stands for the result while the query runs, and says for how long it has. */
export function Running() {
  const [start] = useState(Date.now)
  const now = useNow(1_000)
  return (
    <Stack gap={6}>
      <Group h={20}>
        <VisuallyHidden role="status">The query is running.</VisuallyHidden>
        <Text size="sm" c="dimmed" aria-hidden>
          {now - start < 1_000 ? 'Running' : `Running for ${duration(now - start)}`}
        </Text>
      </Group>
      {[1, 2, 3, 4, 5, 6].map((row) => (
        <Skeleton key={row} h={34} />
      ))}
    </Stack>
  )
}
