import { Anchor, Badge } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { queryClient } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { Section } from '../parts/Section.tsx'
import { useChange } from '../parts/use-change.ts'
import { useOrganization } from '../shell/workspace.ts'
import { needsOwnPlugin } from './access.ts'
import {
  checkForUpdates,
  configsQuery,
  type PluginProps,
  pluginQuery,
  pluginsKey,
  refreshPlugins,
  storePlugin,
  uninstall,
  upgrade,
} from './queries.ts'
import { changesUrl, hasUpdate, nameOf, shortTag } from './versions.ts'

/** Checks for a newer revision, and uninstalls. */
export function PluginActions({ place, plugin, project }: PluginProps & { project: string }) {
  const organization = useOrganization()
  const navigate = useNavigate()
  const reason = needsOwnPlugin(organization, plugin)
  const check = useChange({
    send: () => checkForUpdates(place, plugin.id),
    done: (plugin) =>
      hasUpdate(plugin) ? `Revision ${shortTag(plugin.latest_tag)} is available.` : 'This is the latest revision.',
    failed: 'The check for updates failed',
    refreshes: [pluginsKey(place.organization)],
    after: (plugin) => storePlugin(place, plugin),
  })
  const remove = useChange({
    send: () => uninstall(place, plugin.id),
    done: `"${nameOf(plugin)}" is uninstalled.`,
    after: async () => {
      // First, because this page shows what is deleted.
      await navigate({
        to: '/organizations/$organization/projects/$project/plugins',
        params: { organization: organization.id, project },
        search: place.family === 'destinations' ? {} : { family: place.family },
      })
      queryClient.removeQueries({ queryKey: pluginQuery(place, plugin.id).queryKey })
      await refreshPlugins(organization.id)
      await queryClient.invalidateQueries({ queryKey: configsQuery(project).queryKey })
    },
  })
  return (
    <>
      <ActionButton
        variant="default"
        loading={check.isPending}
        disabledReason={
          plugin.url === null ? 'This plugin was not fetched from a URL. Change its source instead.' : reason
        }
        onClick={() => check.mutate()}
      >
        Check for updates
      </ActionButton>
      <ConfirmButton
        variant="outline"
        danger
        disabledReason={
          reason ??
          (plugin.is_global ? 'The plugin is shared with all organizations. Stop sharing it first.' : undefined)
        }
        title={`Uninstall "${nameOf(plugin)}"?`}
        effect="Its code and its settings in all projects of the organization are deleted. This cannot be undone. Its activity is kept."
        confirm="Uninstall plugin"
        onConfirm={() => remove.mutateAsync()}
      >
        Uninstall
      </ConfirmButton>
    </>
  )
}

/** Offers the latest revision. */
export function PluginUpdate({ place, plugin }: PluginProps) {
  const organization = useOrganization()
  const changes = changesUrl(plugin)
  const from = shortTag(plugin.tag)
  const to = shortTag(plugin.latest_tag)
  const change = useChange({
    send: () => upgrade(place, plugin.id),
    done: (upgraded) => `"${nameOf(upgraded)}" has revision ${shortTag(upgraded.tag)}.`,
    refreshes: [pluginsKey(place.organization)],
    after: (upgraded) => storePlugin(place, upgraded),
  })
  return (
    <Section
      title="Update available"
      state={
        <Badge variant="dot" color="yellow" tt="none">
          {from} → {to}
        </Badge>
      }
      description={
        changes && (
          <Anchor href={changes} underline="always" target="_blank" rel="noreferrer">
            Show the changes of the code
          </Anchor>
        )
      }
      actions={
        <ConfirmButton
          disabledReason={needsOwnPlugin(organization, plugin)}
          title={`Upgrade "${nameOf(plugin)}"?`}
          effect={`Revision ${to} replaces revision ${from}, for all projects. Your edits of the source and of fields in plugin.json are lost. Settings are kept; new required settings must be filled in.`}
          confirm="Upgrade plugin"
          onConfirm={() => change.mutateAsync()}
        >
          Upgrade plugin
        </ConfirmButton>
      }
    />
  )
}
