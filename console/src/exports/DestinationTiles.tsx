import { Button, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { EmptyState } from '../parts/EmptyState.tsx'
import { SearchField } from '../parts/SearchField.tsx'
import { findTiles } from './destination-tiles.ts'
import { DestinationIcon } from './destinations.tsx'
import { NEW_EXPORT } from './paths.ts'

/** The destinations of an export as tiles, by kind. */
export function DestinationTiles({
  place,
  search,
  onSearch,
}: {
  place: { organization: string; project: string }
  search: string
  onSearch: (text: string) => void
}) {
  const groups = findTiles(search)
  return (
    <Stack gap="lg">
      <SearchField label="Search destinations" placeholder="Search destinations" value={search} onChange={onSearch} />
      {groups.map(({ title, tiles }) => (
        <section key={title} aria-label={title}>
          <Title order={2} size="h5" mb="xs">
            {title}
          </Title>
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="sm">
            {tiles.map(({ type, label, description }) => (
              <Link key={type} to={NEW_EXPORT} params={place} search={{ type }} className="choice">
                <DestinationIcon type={type} size={40} />
                <div>
                  <Text fw={600}>{label}</Text>
                  <Text size="sm" c="dimmed">
                    {description}
                  </Text>
                </div>
              </Link>
            ))}
          </SimpleGrid>
        </section>
      ))}
      {groups.length === 0 && (
        <EmptyState
          title="No destination found"
          action={
            <Button variant="default" onClick={() => onSearch('')}>
              Clear search
            </Button>
          }
        >
          No destination matches “{search}”. An HTTP endpoint reaches any server that takes batches of events.
        </EmptyState>
      )}
    </Stack>
  )
}
