import { Group, Pagination, Text } from '@mantine/core'
import { plural } from './format.ts'

/** The pages of a list. The page number belongs in the URL. */
export function Pager({
  count,
  limit,
  page,
  onChange,
  noun,
  nouns = `${noun}s`,
}: {
  count: number
  limit: number
  page: number
  onChange: (page: number) => void
  noun: string
  nouns?: string
}) {
  const pages = Math.ceil(count / limit)
  return (
    <Group justify="space-between" mt="sm">
      <Text size="sm" c="dimmed" role="status">
        {plural(count, noun, nouns)}
      </Text>
      {pages > 1 && (
        <Pagination
          total={pages}
          value={page}
          onChange={onChange}
          size="sm"
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
        />
      )}
    </Group>
  )
}
