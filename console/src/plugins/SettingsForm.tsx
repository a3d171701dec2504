import { Button, Group, NumberInput, Stack, Switch, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { queryClient, type Schemas } from '../api.ts'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { ErrorAlert, notifyDone } from '../parts/ErrorAlert.tsx'
import { errorBeside, fieldError } from '../parts/field-error.ts'
import { Section } from '../parts/Section.tsx'
import { type Field, fieldsOf, isField, isRequired, isVisible, MASK, type Values, withDefaults } from './fields.ts'
import { configsQuery, deleteConfig, refreshPlugins, saveConfig } from './queries.ts'
import { SettingField } from './SettingField.tsx'
import { nameOf } from './versions.ts'

/** The settings of a plugin in a project, from the schema that the plugin declares. */
export function SettingsForm({
  project,
  plugin,
  saved,
}: {
  project: string
  plugin: Schemas['Plugin']
  saved: Schemas['PluginConfig'] | undefined
}) {
  const entries = fieldsOf(plugin.config_schema)
  const fields = entries.filter(isField)
  const [values, setValues] = useState<Values>(() => withDefaults(fields, saved?.config ?? {}))
  const [order, setOrder] = useState<number | string>(saved?.order ?? 0)
  const [api_access, setApiAccess] = useState(saved?.api_access ?? false)
  const refresh = async (): Promise<void> => {
    await queryClient.invalidateQueries({ queryKey: configsQuery(project).queryKey })
    void refreshPlugins(plugin.organization_id)
  }
  const save = useMutation({
    mutationFn: () =>
      saveConfig(project, plugin.id, saved, {
        config: toSend(fields, values),
        order: Number(order) || 0,
        ...(api_access !== (saved?.api_access ?? false) && { api_access }),
      }),
    onSuccess: async (config) => {
      // A new secret leaves the page.
      setValues(withDefaults(fields, config.config))
      await refresh()
      notifyDone(config.enabled ? 'The settings are saved.' : 'The settings are saved. The plugin is off.')
    },
  })
  const visible = entries.filter((entry) => !isField(entry) || isVisible(entry, values))
  const rest = errorBeside(save.error, 'order', ...visible.filter(isField).map(({ key }) => `config__${key}`))
  return (
    <Section
      title="Settings in this project"
      description={fields.length === 0 ? 'The plugin declares no settings.' : undefined}
      actions={
        saved && (
          <ConfirmButton
            variant="default"
            size="xs"
            title={`Remove the settings of "${nameOf(plugin)}"?`}
            effect="The plugin is turned off in this project, and its settings here are deleted, secrets included. The plugin stays installed."
            confirm="Remove settings"
            danger
            onConfirm={async () => {
              await deleteConfig(project, saved.id)
              await refresh()
              notifyDone('The settings are removed.')
            }}
          >
            Remove settings
          </ConfirmButton>
        )
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <Stack>
          {visible.map((entry, index) =>
            isField(entry) ? (
              <SettingField
                key={entry.key}
                field={entry}
                value={values[entry.key]}
                isSet={saved?.config[entry.key] === MASK}
                isRequired={isRequired(entry, values)}
                error={fieldError(save.error, `config__${entry.key}`)}
                onChange={(value) => setValues((values) => ({ ...values, [entry.key]: value }))}
              />
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: texts have no key and do not move.
              <Text key={`text ${index}`} size="sm" className="wrap" style={{ whiteSpace: 'pre-line' }}>
                {entry.text}
              </Text>
            ),
          )}
          <NumberInput
            label="Order"
            description="Plugins of the project are ordered by this number, lowest first."
            min={0}
            max={2_147_483_647}
            allowDecimal={false}
            w={{ base: '100%', xs: 200 }}
            value={order}
            error={fieldError(save.error, 'order')}
            onChange={setOrder}
          />
          <Switch
            label="Read this project with posthog.api"
            description="The plugin reads what you can read here, until you leave the organization. Only administrators can allow it."
            checked={api_access}
            onChange={({ currentTarget }) => setApiAccess(currentTarget.checked)}
          />
          {rest !== null && <ErrorAlert error={rest} title="The settings were not saved" />}
          <Group>
            <Button type="submit" loading={save.isPending}>
              Save settings
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}

/** All settings, because they are replaced as a whole. A secret that was not touched is sent as its mask, which keeps it. */
const toSend = (fields: readonly Field[], values: Values): Values =>
  Object.fromEntries(
    fields.flatMap(({ key, type }): [string, unknown][] => {
      const value = values[key]
      if (value === undefined || value === null) return []
      if (value === '' && (type === 'choice' || type === 'number')) return []
      return [[key, value]]
    }),
  )
