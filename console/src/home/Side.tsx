import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../api.ts'
import { ADMINISTRATOR, needsLevel } from '../parts/levels.ts'
import { CONFIGURE, needsPluginAccess } from '../plugins/access.ts'
import { useOrganization } from '../shell/workspace.ts'
import { Attention } from './Attention.tsx'
import { LatestChanges } from './LatestChanges.tsx'
import type { Place } from './place.ts'
import { exportsInTroubleQuery, latestChangesQuery, pluginsInTroubleQuery } from './queries.ts'

/** Exports and plugins that need attention, and the latest changes. Both appear at once, so the second does not move. */
export function Side({ project, place }: { project: Schemas['Project']; place: Place }) {
  const organization = useOrganization()
  const noPlugins = needsPluginAccess(organization, CONFIGURE)
  const noActivity = needsLevel(organization.membership_level, ADMINISTRATOR)
  const exports = useQuery(exportsInTroubleQuery(place.project))
  const plugins = useQuery({
    ...pluginsInTroubleQuery(place.organization, place.project),
    enabled: noPlugins === undefined,
  })
  const changes = useQuery({
    ...latestChangesQuery(place.organization, project.id),
    enabled: noActivity === undefined,
  })
  const isLoading = [exports, plugins, changes].some(({ isLoading }) => isLoading)
  if (isLoading) return <Skeleton h={420} aria-label="Loading what needs attention" />
  return (
    <Stack gap="md" miw={0}>
      <Attention
        place={place}
        exports={exports.data}
        plugins={plugins.data ?? []}
        error={exports.error ?? plugins.error}
        retry={() => {
          void exports.refetch()
          if (noPlugins === undefined) void plugins.refetch()
        }}
      />
      <LatestChanges
        place={place}
        changes={changes.data}
        reason={noActivity}
        error={changes.error}
        retry={() => void changes.refetch()}
      />
    </Stack>
  )
}
