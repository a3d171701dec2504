import { Switch } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { queryClient, type Schemas } from '../api.ts'
import { notifyError } from '../parts/ErrorAlert.tsx'
import { sendsEvents } from './fields.ts'
import { configsQuery, refreshPlugins, saveConfig } from './queries.ts'
import { nameOf } from './versions.ts'

const ResumeDialog = lazy(() => import('./ResumeDialog.tsx'))

type Configs = Schemas['PluginConfigPage']
type State = Pick<Schemas['PluginConfig'], 'enabled' | 'disabled_at'>

interface Change {
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
  const toggle = useMutation({
    mutationFn: (change: Change) => saveConfig(project, plugin.id, config, change),
    // One after the other, so that the last one wins.
    scope: { id: `enable plugin ${plugin.id} in ${project}` },
    onMutate: async ({ enabled }) => {
      await queryClient.cancelQueries({ queryKey })
      const before = queryClient.getQueryData(queryKey)
      const state = { enabled, disabled_at: enabled ? null : new Date().toISOString() }
      if (before && config) queryClient.setQueryData(queryKey, withEnabled(before, config.id, state))
      return before
    },
    onError: (error, { enabled }, before) => {
      if (before) queryClient.setQueryData(queryKey, before)
      notifyError(error, `"${name}" is still ${enabled ? 'off' : 'on'}`)
    },
    onSettled: async () => {
      await queryClient.invalidateQueries({ queryKey })
      void refreshPlugins(plugin.organization_id)
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

const withEnabled = (configs: Configs, id: number, { enabled, disabled_at }: State): Configs => ({
  ...configs,
  results: configs.results.map((config) => (config.id === id ? { ...config, enabled, disabled_at } : config)),
})
