import { Stack, Switch } from '@mantine/core'
import { Definition } from '../parts/Definition.tsx'
import { ADMINISTRATOR, needsLevel } from '../parts/levels.ts'
import { Section } from '../parts/Section.tsx'
import { useChange } from '../parts/use-change.ts'
import { useOrganization } from '../shell/workspace.ts'
import { needsOwnPlugin, SHARE } from './access.ts'
import { type PluginProps, pluginsKey, storePlugin, updatePlugin } from './queries.ts'
import { originOf } from './versions.ts'

const CAPABILITIES = { methods: 'Functions', jobs: 'Jobs', scheduled_tasks: 'Scheduled tasks' }

/** The origin and the functions of a plugin, and whether other organizations see it. */
export function AboutPlugin({ place, plugin }: PluginProps) {
  const organization = useOrganization()
  const mayShare =
    needsOwnPlugin(organization, plugin, SHARE) ?? needsLevel(organization.membership_level, ADMINISTRATOR)
  const share = useChange({
    send: (is_global: boolean) => updatePlugin(place, plugin.id, { is_global }),
    failed: 'Sharing did not change',
    refreshes: [pluginsKey(place.organization)],
    after: (plugin) => storePlugin(place, plugin),
  })
  const shared = share.isPending ? share.variables : plugin.is_global
  return (
    <Section title="About this plugin">
      <Stack gap="sm" component="dl" m={0}>
        <Definition term="Installed">
          {originOf(plugin)}, managed by {plugin.organization_name}
        </Definition>
        {plugin.url && <Definition term="URL">{plugin.url}</Definition>}
        {plugin.tag && (
          <Definition term="Revision">
            <span className="mono wrap">{plugin.tag}</span>
          </Definition>
        )}
        {Object.entries(CAPABILITIES).map(([key, label]) => {
          const names = plugin.capabilities[key]
          return Array.isArray(names) && names.length > 0 ? (
            <Definition key={key} term={label}>
              <span className="mono wrap">{names.join(', ')}</span>
            </Definition>
          ) : null
        })}
      </Stack>
      <Switch
        label="Share with all organizations of this server"
        description={mayShare ?? 'Every organization can see and configure the plugin. Only yours can change it.'}
        checked={shared}
        disabled={mayShare !== undefined}
        onChange={(event) => share.mutate(event.currentTarget.checked)}
      />
    </Section>
  )
}
