import { Stack, Text } from '@mantine/core'
import type { Schemas } from '../api.ts'
import { Time } from '../parts/Time.tsx'

const SENTENCES: Record<string, string> = {
  installed: 'installed the plugin',
  updated: 'changed the plugin',
  source_updated: 'changed the source',
  upgraded: 'upgraded the plugin',
  uninstalled: 'uninstalled the plugin',
  config_created: 'saved settings',
  enabled: 'turned the plugin on',
  disabled: 'turned the plugin off',
  order_changed: 'changed the order',
  config_updated: 'changed settings',
  config_deleted: 'removed the settings',
  job_started: 'started a job',
  deliveries_replayed: 'replayed failed deliveries',
  test_event_created: 'saved a test event',
  test_event_updated: 'changed a test event',
  test_event_deleted: 'deleted a test event',
}

type Change = NonNullable<Schemas['PluginActivity']['detail']['changes']>[number]

const MAX_TEXT = 80

function show(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'nothing'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}

/** Null if there is nothing to show. A replaced secret is masked on both sides. */
function describe({ field, action, before, after }: Change): string | null {
  const name = field.replace('config__', '')
  if ((before ?? null) === null && (after ?? null) === null) return null
  if (action === 'created') return `${name}: ${show(after)}`
  if (JSON.stringify(before) === JSON.stringify(after)) return `${name}: replaced`
  // Lists and objects differ in a part that a short text does not show.
  if (typeof after === 'object' && after !== null) return `${name}: changed`
  return `${name}: ${show(before)} → ${show(after)}`
}

/** Changes of plugins, newest first. */
export function ActivityEntries({ entries }: { entries: Schemas['PluginActivity'][] }) {
  return (
    <Stack gap="sm" component="ul" m={0} p={0} aria-label="Activity">
      {entries.map(({ user, activity, scope, item_id, detail, created_at }, index) => (
        // Entries have no id, and the list is replaced as a whole.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above.
        <li key={index} style={{ listStyle: 'none' }}>
          <Text size="sm" component="div">
            <b>{user.first_name || user.email || 'The server'}</b>{' '}
            {SENTENCES[activity] ?? `changed the plugin: ${activity.replaceAll('_', ' ')}`}
            {scope === 'PluginConfig' && (
              <Text span c="dimmed" size="sm">
                {' '}
                (configuration {item_id})
              </Text>
            )}{' '}
            · <Time value={created_at} />
          </Text>
          {detail.changes
            ?.map((change) => describe(change))
            .filter((text) => text !== null)
            .map((text) => (
              <Text key={text} size="xs" c="dimmed" className="wrap">
                {text}
              </Text>
            ))}
        </li>
      ))}
    </Stack>
  )
}
