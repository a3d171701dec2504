import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { View } from './view.ts'

/** Filters by the exact distinct id. */
export function DistinctIdForm({ view: { search, filter }, close }: { view: View; close: () => void }) {
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
