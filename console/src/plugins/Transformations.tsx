import { ActionIcon, Group, Paper, Skeleton, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { useMutation, useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { queryClient, type Schemas } from '../api.ts'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert, notifyError } from '../parts/ErrorAlert.tsx'
import { GripIcon } from '../parts/icons.tsx'
import { EnableSwitch } from './EnableSwitch.tsx'
import { FAMILIES, FAMILY_NAMES, type Family } from './families.ts'
import { changesEvents, missingSettings } from './fields.ts'
import { configsQuery, pluginsQuery, STATE_MS, saveConfig } from './queries.ts'
import { RunState } from './run-state.tsx'
import { nameOf } from './versions.ts'

type Config = Schemas['PluginConfig']

/** The plugins of all families that change events, in the order in which they run. */
export function Transformations({ organization, project }: { organization: string; project: string }) {
  const configs = useQuery({ ...configsQuery(project), refetchInterval: STATE_MS })
  const lists = useQueries({
    queries: FAMILY_NAMES.map((family) => pluginsQuery({ organization, family }, 1, ALL)),
  })
  const error = configs.error ?? lists.find((list) => list.error)?.error
  if (error)
    return (
      <ErrorAlert
        error={error}
        retry={() => {
          void configs.refetch()
          for (const list of lists) void list.refetch()
        }}
      />
    )
  if (!configs.data || lists.some((list) => !list.data)) return <Skeleton h={104} />
  const families = new Map<number, Family>()
  for (const [index, list] of lists.entries())
    for (const { id } of list.data?.results ?? []) families.set(id, FAMILY_NAMES[index] ?? 'destinations')
  const ordered = configs.data.results.filter(({ plugin_info }) => changesEvents(plugin_info))
  const configured = new Set(configs.data.results.map(({ plugin }) => plugin))
  const others = lists
    .flatMap((list) => list.data?.results ?? [])
    .filter((plugin) => changesEvents(plugin) && !configured.has(plugin.id))
  if (ordered.length + others.length === 0)
    return (
      <EmptyState title="No transformations are installed">
        Plugins whose code has <span className="mono">processEvent</span> appear here. Install one as a destination, a
        frontend app or an import app.
      </EmptyState>
    )
  return (
    <Stack>
      {ordered.length > 0 && (
        <Order organization={organization} project={project} ordered={ordered} families={families} />
      )}
      {others.length > 0 && (
        <Title order={2} size="h5">
          Not used in this project
        </Title>
      )}
      {others.length > 0 && (
        <Stack gap="xs" component="ul" m={0} p={0} aria-label="Transformations that are not used in this project">
          {others.map((plugin) => (
            <Paper key={plugin.id} withBorder p="md" component="li" style={{ listStyle: 'none' }}>
              <Group justify="space-between">
                <PluginLink place={{ organization, project, families }} plugin={plugin} />
                <EnableSwitch
                  project={project}
                  plugin={plugin}
                  config={undefined}
                  disabledReason={missingSettings(plugin.config_schema, {}).length ? 'Needs settings.' : undefined}
                />
              </Group>
            </Paper>
          ))}
        </Stack>
      )}
    </Stack>
  )
}

/** The largest page. */
const ALL = 1000

/** The list with one item at another place. */
function moved<Item>(list: readonly Item[], from: number, to: number): Item[] {
  const rest = list.filter((_, index) => index !== from)
  return [...rest.slice(0, to), ...list.slice(from, from + 1), ...rest.slice(to)]
}

interface Place {
  organization: string
  project: string
  families: Map<number, Family>
}

/** A list whose items can be dragged, or moved with the arrow keys on their handles. */
function Order({ ordered, ...place }: Place & { ordered: Config[] }) {
  const { queryKey } = configsQuery(place.project)
  const [dragged, setDragged] = useState<number>()
  const [target, setTarget] = useState<number>()
  const [said, setSaid] = useState('')
  const save = useMutation({
    mutationFn: async (next: Config[]) => {
      for (const [index, config] of next.entries())
        if (config.order !== index + 1) await saveConfig(place.project, config.plugin, config, { order: index + 1 })
    },
    // One after the other, so that the last one wins.
    scope: { id: `order of plugins in ${place.project}` },
    onMutate: async (next) => {
      await queryClient.cancelQueries({ queryKey })
      const before = queryClient.getQueryData(queryKey)
      const order = new Map(next.map(({ id }, index) => [id, index + 1]))
      if (before) {
        const results = before.results.map((config) => ({ ...config, order: order.get(config.id) ?? config.order }))
        queryClient.setQueryData(queryKey, {
          ...before,
          results: results.sort((one, other) => one.order - other.order || one.id - other.id),
        })
      }
      return before
    },
    onError: (error, _next, before) => {
      if (before) queryClient.setQueryData(queryKey, before)
      notifyError(error, 'The order did not change')
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
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

function PluginLink({
  place: { organization, project, families },
  plugin,
  name = nameOf(plugin),
}: {
  place: Place
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
