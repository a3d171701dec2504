import { Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Schemas } from '../api.ts'
import { FAMILIES, type Family } from './families.ts'
import { nameOf } from './versions.ts'

export interface PluginPlace {
  organization: string
  project: string
  /** By the id of the plugin. */
  families: Map<number, Family>
}

export function PluginLink({
  place: { organization, project, families },
  plugin,
  name = nameOf(plugin),
}: {
  place: PluginPlace
  plugin: Schemas['Plugin']
  name?: string
}) {
  const family = families.get(plugin.id) ?? 'destinations'
  return (
    <Group gap="xs">
      <Text span fw={600}>
        <Link
          to="/organizations/$organization/projects/$project/plugins/$family/$plugin"
          params={{ organization, project, family, plugin: String(plugin.id) }}
          className="row-link wrap"
          draggable={false}
        >
          {name}
        </Link>
      </Text>
      <Text span size="xs" c="dimmed">
        {FAMILIES[family].label}
      </Text>
    </Group>
  )
}
