import { Anchor, Badge, Group, Paper, SegmentedControl, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Schemas } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert, notifyDone, notifyError } from '../parts/ErrorAlert.tsx'
import { INSTALL, needsPluginAccess } from './access.ts'
import { FAMILIES } from './families.ts'
import { catalogQuery, type FamilyPlace, install, pluginsQuery, refreshPlugins } from './queries.ts'
import { nameOf } from './versions.ts'

const PURPOSES = [
  { value: 'data_out', label: 'Data out' },
  { value: 'data_in', label: 'Data in' },
  { value: 'ingestion_filtering', label: 'Filtering' },
  { value: 'site', label: 'Site' },
  { value: 'all', label: 'All' },
]

/** The catalog of the server. Its plugins are installed into this family. */
export function Catalog({
  place,
  organization,
  project,
  purpose,
  setPurpose,
}: {
  place: FamilyPlace
  organization: Schemas['Organization']
  project: string
  purpose: string
  setPurpose: (purpose: string) => void
}) {
  const catalog = useQuery(catalogQuery(place))
  const installed = useQuery(pluginsQuery(place, 1, 1000))
  const urls = new Set(installed.data?.results.map(({ url }) => url))
  const found = catalog.data?.results.filter(({ type }) => purpose === 'all' || type === purpose) ?? []
  return (
    <Stack>
      <SegmentedControl
        aria-label="Purpose"
        data={PURPOSES}
        value={purpose}
        onChange={setPurpose}
        size="xs"
        w="fit-content"
        maw="100%"
      />
      {catalog.error && <ErrorAlert error={catalog.error} retry={() => void catalog.refetch()} />}
      {catalog.isPending && (
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
          <Skeleton h={150} />
          <Skeleton h={150} />
          <Skeleton h={150} />
        </SimpleGrid>
      )}
      {catalog.data && found.length === 0 && (
        <EmptyState title="The catalog has no such plugins">
          Choose another purpose, or install a plugin by its URL.
        </EmptyState>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} component="ul" m={0} p={0} aria-label="Catalog">
        {found.map((entry) => (
          <Entry
            key={entry.id}
            entry={entry}
            place={place}
            project={project}
            disabledReason={
              urls.has(entry.url) ? 'This plugin is already installed.' : needsPluginAccess(organization, INSTALL)
            }
            isInstalled={urls.has(entry.url)}
          />
        ))}
      </SimpleGrid>
    </Stack>
  )
}

function Entry({
  entry,
  place,
  project,
  disabledReason,
  isInstalled,
}: {
  entry: Schemas['CatalogPlugin']
  place: FamilyPlace
  project: string
  disabledReason: string | undefined
  isInstalled: boolean
}) {
  const navigate = useNavigate()
  const add = useMutation({
    mutationFn: () => install(place, { url: entry.url, plugin_type: 'repository' }),
    onSuccess: async (plugin) => {
      notifyDone(`"${nameOf(plugin)}" is installed.`)
      await refreshPlugins(place.organization)
      await navigate({
        to: '/organizations/$organization/projects/$project/plugins/$family/$plugin',
        params: { ...place, project, plugin: String(plugin.id) },
      })
    },
    onError: (error) => notifyError(error, `"${nameOf(entry)}" was not installed`),
  })
  return (
    <Paper withBorder p="md" component="li" style={{ listStyle: 'none' }} aria-label={nameOf(entry)}>
      <Stack gap="xs" h="100%" justify="space-between">
        <Stack gap={4}>
          <Group gap="xs">
            <Text fw={600}>{nameOf(entry)}</Text>
            <Badge variant="default" tt="none">
              {entry.maintainer === 'official' ? 'Official' : 'Community'}
            </Badge>
            {entry.verified && (
              <Badge variant="dot" color="green" tt="none">
                Reviewed
              </Badge>
            )}
          </Group>
          <Text size="sm">{entry.description}</Text>
          {entry.url && (
            <Anchor href={entry.url} size="xs" underline="always" className="wrap" target="_blank" rel="noreferrer">
              {entry.url.replace('https://', '')}
            </Anchor>
          )}
        </Stack>
        <Group>
          <ActionButton
            size="xs"
            variant="default"
            loading={add.isPending}
            disabledReason={disabledReason}
            onClick={() => add.mutate()}
            aria-label={`Install ${nameOf(entry)} as ${FAMILIES[place.family].noun}`}
          >
            {isInstalled ? 'Installed' : 'Install'}
          </ActionButton>
        </Group>
      </Stack>
    </Paper>
  )
}
