import { Button, Group, Select, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import type { Schemas } from '../api.ts'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { SearchField } from '../parts/SearchField.tsx'
import { INSTALL, needsPluginAccess } from './access.ts'
import { CatalogEntry } from './CatalogEntry.tsx'
import { FAMILY_NAMES, familyFor } from './families.ts'
import { catalogQuery, pluginsQuery } from './queries.ts'
import { nameOf } from './versions.ts'

type CatalogPlugin = Schemas['CatalogPlugin']

const PURPOSES: Record<CatalogPlugin['type'], string> = {
  data_out: 'Send events on',
  data_in: 'Bring events in',
  ingestion_filtering: 'Filter events',
  site: 'Add code to web pages',
}

const SKELETONS = ['a', 'b', 'c', 'd', 'e', 'f']
const COLUMNS = { base: 1, sm: 2, lg: 3 }

export interface CatalogFilter {
  search?: string | undefined
  purpose?: string | undefined
}

/** Whether the entry has all words of the text. */
function matches(entry: CatalogPlugin, { search = '', purpose }: CatalogFilter): boolean {
  const searched = `${nameOf(entry)} ${entry.description} ${entry.url}`.toLowerCase()
  const words = search.toLowerCase().split(/\s+/)
  return (purpose === undefined || entry.type === purpose) && words.every((word) => searched.includes(word))
}

/** The catalog of the server. A plugin is installed into the family of its purpose. */
export function Catalog({
  organization,
  project,
  filter,
  setFilter,
}: {
  organization: Schemas['Organization']
  project: string
  filter: CatalogFilter
  setFilter: (filter: CatalogFilter) => void
}) {
  const catalog = useQuery(catalogQuery(organization.id))
  const installed = useQueries({
    queries: FAMILY_NAMES.map((family) => pluginsQuery({ organization: organization.id, family }, 1, 1000)),
  })
  const urls = new Set(installed.flatMap(({ data }) => data?.results.map(({ url }) => url) ?? []))
  const found = catalog.data?.results.filter((entry) => matches(entry, filter)) ?? []
  const noAccess = needsPluginAccess(organization, INSTALL)
  if (catalog.error) return <ErrorAlert error={catalog.error} retry={() => void catalog.refetch()} />
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <SearchField
          label="Search the catalog"
          placeholder="Search by name or description"
          value={filter.search ?? ''}
          onChange={(search) => setFilter({ ...filter, search: search || undefined })}
        />
        <Select
          aria-label="Purpose"
          placeholder="All purposes"
          clearable
          clearButtonProps={{ 'aria-label': 'Clear purpose' }}
          data={Object.entries(PURPOSES).map(([value, label]) => ({ value, label }))}
          value={filter.purpose ?? null}
          onChange={(purpose) => setFilter({ ...filter, purpose: purpose ?? undefined })}
        />
        <Text size="sm" c="dimmed" role="status">
          {catalog.data && plural(found.length, 'plugin')}
        </Text>
      </Group>
      {catalog.data && found.length === 0 && (
        <EmptyState
          title="No plugin found"
          action={
            <Button variant="default" onClick={() => setFilter({})}>
              Clear filters
            </Button>
          }
        >
          The catalog has no such plugin. The other tabs install one from a URL, or from source that you write.
        </EmptyState>
      )}
      <SimpleGrid cols={COLUMNS} spacing="sm" component="ul" m={0} p={0} aria-label="Catalog">
        {catalog.isPending
          ? SKELETONS.map((key) => <Skeleton key={key} component="li" h={172} aria-hidden />)
          : found.map((entry) => (
              <CatalogEntry
                key={entry.id}
                entry={entry}
                place={{ organization: organization.id, family: familyFor(entry.type) }}
                project={project}
                disabledReason={urls.has(entry.url) ? 'This plugin is already installed.' : noAccess}
                isInstalled={urls.has(entry.url)}
              />
            ))}
      </SimpleGrid>
    </Stack>
  )
}
