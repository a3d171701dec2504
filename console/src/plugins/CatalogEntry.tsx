import { Anchor, Badge, Group, Paper, Stack, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { Schemas } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { useChange } from '../parts/use-change.ts'
import { FAMILIES } from './families.ts'
import { type FamilyPlace, install, refreshPlugins } from './queries.ts'
import { nameOf } from './versions.ts'

/** A plugin of the catalog, with a button that installs it. */
export function CatalogEntry({
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
  const add = useChange({
    send: () => install(place, { url: entry.url, plugin_type: 'repository' }),
    done: (plugin) => `"${nameOf(plugin)}" is installed.`,
    failed: `"${nameOf(entry)}" was not installed`,
    after: async (plugin) => {
      await refreshPlugins(place.organization)
      await navigate({
        to: '/organizations/$organization/projects/$project/plugins/$family/$plugin',
        params: { ...place, project, plugin: String(plugin.id) },
      })
    },
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
