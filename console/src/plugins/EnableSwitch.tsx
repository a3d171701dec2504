import { Switch } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { queryClient, type Schemas } from '../api.ts'
import { useChange } from '../parts/use-change.ts'
import { sendsEvents } from './fields.ts'
import { configsQuery, pluginsKey, saveConfig } from './queries.ts'
import { nameOf } from './versions.ts'

const ResumeDialog = lazy(() => import('./ResumeDialog.tsx'))

interface EnableChange {
  enabled: boolean
  /** Skips the events that arrived while the plugin was off. */
  skip?: boolean
}

/**
 * Turns a plugin on and off in a project. It shows the new state at once and reverts it on an error. If the plugin was on
 * before, it asks about the events of the pause.
 */
export function EnableSwitch({
  project,
  plugin,
  config,
  disabledReason,
}: {
  project: string
  plugin: Schemas['Plugin']
  config: Schemas['PluginConfig'] | undefined
  disabledReason?: string | undefined
}) {
  const name = nameOf(plugin)
  const { queryKey } = configsQuery(project)
  const toggle = useChange({
    send: (change: EnableChange) => saveConfig(project, plugin.id, config, change),
    scope: `enable plugin ${plugin.id} in ${project}`,
    failed: ({ enabled }) => `"${name}" is still ${enabled ? 'off' : 'on'}`,
    refreshes: [queryKey, pluginsKey(plugin.organization_id)],
    optimistic: {
      queryKey,
      apply: ({ enabled }) =>
        queryClient.setQueryData(queryKey, (before) => before && config && withEnabled(before, config.id, enabled)),
    },
  })
  const since = config && sendsEvents(plugin) ? config.disabled_at : null
  const [isAsking, setAsking] = useState(false)
  const turn = (enabled: boolean): void => {
    if (enabled && since !== null) setAsking(true)
    else toggle.mutate({ enabled })
  }
  // Without a configuration there is nothing to change in the cache, so the new state comes from the request.
  const enabled = toggle.isPending ? toggle.variables.enabled : (config?.enabled ?? false)
  return (
    <>
      <Switch
        checked={enabled}
        label={enabled ? 'On' : 'Off'}
        aria-label={`${name} is ${enabled ? 'on' : 'off'}`}
        disabled={disabledReason !== undefined && !enabled}
        {...(disabledReason && !enabled && { description: disabledReason })}
        onChange={(event) => turn(event.currentTarget.checked)}
      />
      {isAsking && since !== null && (
        <Suspense>
          <ResumeDialog
            name={name}
            since={since}
            close={() => setAsking(false)}
            resume={(skip) => toggle.mutate({ enabled: true, skip })}
          />
        </Suspense>
      )}
    </>
  )
}

const withEnabled = (configs: Schemas['PluginConfigPage'], id: number, enabled: boolean): typeof configs => ({
  ...configs,
  results: configs.results.map((config) =>
    config.id === id ? { ...config, enabled, disabled_at: enabled ? null : new Date().toISOString() } : config,
  ),
})
