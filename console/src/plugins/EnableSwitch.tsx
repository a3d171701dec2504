import { Switch } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { queryClient, type Schemas } from '../api.ts'
import { notifyError } from '../parts/ErrorAlert.tsx'
import { configsQuery, refreshPlugins, saveConfig } from './queries.ts'
import { nameOf } from './versions.ts'

type Configs = Schemas['PluginConfigPage']

/** Turns a plugin on and off in a project. It shows the new state at once and reverts it on an error. */
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
    mutationFn: (enabled: boolean) => saveConfig(project, plugin.id, config, { enabled }),
    onMutate: async (enabled) => {
      await queryClient.cancelQueries({ queryKey })
      const before = queryClient.getQueryData(queryKey)
      if (before && config) queryClient.setQueryData(queryKey, withEnabled(before, config.id, enabled))
      return before
    },
    onError: (error, enabled, before) => {
      if (before) queryClient.setQueryData(queryKey, before)
      notifyError(error, `"${name}" is still ${enabled ? 'off' : 'on'}`)
    },
    onSettled: async () => {
      await queryClient.invalidateQueries({ queryKey })
      void refreshPlugins(plugin.organization_id)
    },
  })
  // Without a configuration there is nothing to change in the cache, so the new state comes from the request.
  const enabled = toggle.isPending ? toggle.variables : (config?.enabled ?? false)
  return (
    <Switch
      checked={enabled}
      label={enabled ? 'On' : 'Off'}
      aria-label={`${name} is ${enabled ? 'on' : 'off'}`}
      disabled={disabledReason !== undefined && !enabled}
      {...(disabledReason && !enabled && { description: disabledReason })}
      onChange={(event) => toggle.mutate(event.currentTarget.checked)}
    />
  )
}

const withEnabled = (configs: Configs, id: number, enabled: boolean): Configs => ({
  ...configs,
  results: configs.results.map((config) => (config.id === id ? { ...config, enabled } : config)),
})
