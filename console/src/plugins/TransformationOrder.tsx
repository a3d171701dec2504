import { ActionIcon, Group, Paper, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import { queryClient, type Schemas } from '../api.ts'
import { GripIcon } from '../parts/icons.tsx'
import { useChange } from '../parts/use-change.ts'
import { EnableSwitch } from './EnableSwitch.tsx'
import { missingSettings } from './fields.ts'
import { PluginLink, type PluginPlace } from './PluginLink.tsx'
import { configsQuery, saveConfig } from './queries.ts'
import { RunState } from './run-state.tsx'

type Config = Schemas['PluginConfig']

/** The list with one item at another place. */
function moved<Item>(list: readonly Item[], from: number, to: number): Item[] {
  const rest = list.filter((_, index) => index !== from)
  return [...rest.slice(0, to), ...list.slice(from, from + 1), ...rest.slice(to)]
}

/** The configurations with the order of a list. */
function inOrder(configs: Schemas['PluginConfigPage'], list: readonly Config[]): Schemas['PluginConfigPage'] {
  const order = new Map(list.map(({ id }, index) => [id, index + 1]))
  const results = configs.results.map((config) => ({ ...config, order: order.get(config.id) ?? config.order }))
  return { ...configs, results: results.sort((one, other) => one.order - other.order || one.id - other.id) }
}

/** A list whose items can be dragged, or moved with the arrow keys on their handles. */
export function TransformationOrder({ ordered, ...place }: PluginPlace & { ordered: Config[] }) {
  const { queryKey } = configsQuery(place.project)
  const [dragged, setDragged] = useState<number>()
  const [target, setTarget] = useState<number>()
  const [said, setSaid] = useState('')
  const save = useChange({
    send: async (next: Config[]) => {
      for (const [index, config] of next.entries())
        if (config.order !== index + 1) await saveConfig(place.project, config.plugin, config, { order: index + 1 })
    },
    scope: `order of plugins in ${place.project}`,
    failed: 'The order did not change',
    refreshes: [queryKey],
    optimistic: {
      queryKey,
      apply: (next) => queryClient.setQueryData(queryKey, (before) => before && inOrder(before, next)),
    },
  })
  const move = (from: number, to: number): void => {
    const config = ordered[from]
    if (!config || to < 0 || to >= ordered.length || to === from) return
    setSaid(`${config.name} is now number ${to + 1} of ${ordered.length}.`)
    save.mutate(moved(ordered, from, to))
  }
  return (
    <>
      <Text size="sm" c="dimmed" id="order-help">
        Every event passes through these plugins from top to bottom. Drag a plugin, or focus its handle and press the
        arrow keys, to change the order.
      </Text>
      <Stack gap="xs" component="ol" m={0} p={0} aria-label="Transformations in their order">
        {ordered.map((config, index) => (
          <Paper
            key={config.id}
            withBorder
            p="md"
            component="li"
            style={{ listStyle: 'none' }}
            aria-label={config.name}
            draggable
            className={
              target === index && dragged !== undefined && dragged !== index
                ? `drop-${dragged < index ? 'after' : 'before'}`
                : undefined
            }
            onDragStart={(event) => {
              event.dataTransfer.effectAllowed = 'move'
              event.dataTransfer.setData('text/plain', config.name)
              setDragged(index)
            }}
            onDragOver={(event) => {
              if (dragged === undefined) return
              event.preventDefault()
              setTarget(index)
            }}
            onDrop={(event) => {
              event.preventDefault()
              if (dragged !== undefined) move(dragged, index)
            }}
            onDragEnd={() => {
              setDragged(undefined)
              setTarget(undefined)
            }}
          >
            <Group justify="space-between" align="flex-start" wrap="nowrap">
              <Group align="flex-start" wrap="nowrap" miw={0}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  className="drag-handle"
                  aria-label={`Move ${config.name}, number ${index + 1} of ${ordered.length}`}
                  aria-describedby="order-help"
                  onKeyDown={(event) => {
                    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key]
                    if (by === undefined) return
                    event.preventDefault()
                    move(index, index + by)
                  }}
                >
                  <GripIcon size={16} />
                </ActionIcon>
                <Stack gap={4} miw={0}>
                  <PluginLink place={place} plugin={config.plugin_info} name={config.name} />
                  {(config.enabled || config.error) && <RunState config={config} />}
                </Stack>
              </Group>
              <EnableSwitch
                project={place.project}
                plugin={config.plugin_info}
                config={config}
                disabledReason={
                  missingSettings(config.plugin_info.config_schema, config.config).length
                    ? 'Needs settings.'
                    : undefined
                }
              />
            </Group>
          </Paper>
        ))}
      </Stack>
      <VisuallyHidden role="status">{said}</VisuallyHidden>
    </>
  )
}
