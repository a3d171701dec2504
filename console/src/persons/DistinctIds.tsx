import { Anchor, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Copy } from '../parts/Copy.tsx'
import { count } from '../parts/format.ts'

const SHOWN = 5
/** The contract returns no more. */
const MAX_IDS = 1_000

/** The distinct ids of a person. The first ones are shown. */
export function DistinctIds({ ids }: { ids: string[] }) {
  const [isOpen, setOpen] = useState(false)
  const shown = isOpen ? ids : ids.slice(0, SHOWN)
  return (
    <Stack gap="xs" component="section" aria-label="Distinct ids">
      <Title order={2} size="h5">
        {ids.length >= MAX_IDS ? `First ${count(MAX_IDS)} distinct ids` : `Distinct ids (${count(ids.length)})`}
      </Title>
      <ul className="person-ids">
        {shown.map((id) => (
          <li key={id}>
            <Text size="sm" component="div">
              <Copy value={id} label={`the distinct id ${id}`} />
            </Text>
          </li>
        ))}
      </ul>
      {ids.length > SHOWN && (
        <Anchor
          component="button"
          type="button"
          size="sm"
          style={{ alignSelf: 'flex-start' }}
          onClick={() => setOpen(!isOpen)}
          aria-expanded={isOpen}
        >
          {isOpen ? 'Show fewer' : `Show all ${count(ids.length)}`}
        </Anchor>
      )}
    </Stack>
  )
}
