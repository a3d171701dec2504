import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { ActivityEntries } from './ActivityEntries.tsx'
import { type PluginProps, pluginActivityQuery } from './queries.ts'

/** The changes of one plugin. */
export function PluginActivity({ place, plugin }: PluginProps) {
  const activity = useQuery(pluginActivityQuery(place, plugin.id))
  if (activity.error) return <ErrorAlert error={activity.error} retry={() => void activity.refetch()} />
  if (!activity.data) return <Skeleton h={160} />
  if (activity.data.length === 0)
    return (
      <EmptyState title="No activity">
        Changes that your organization makes to this plugin and its settings appear here.
      </EmptyState>
    )
  return <ActivityEntries entries={activity.data} />
}
