import { NumberInput, Stack, Switch, Text } from '@mantine/core'
import type { Schemas } from '../api.ts'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { FormActions } from '../parts/FormActions.tsx'
import { Section } from '../parts/Section.tsx'
import { useChange } from '../parts/use-change.ts'
import { useServerForm } from '../parts/use-server-form.ts'
import { type Field, fieldsOf, isField, isRequired, isVisible, MASK, type Values, withDefaults } from './fields.ts'
import { configsQuery, deleteConfig, pluginsKey, saveConfig } from './queries.ts'
import { SettingField } from './SettingField.tsx'
import { nameOf } from './versions.ts'

/** The `attr` of an error about a setting. */
const attrOf = ({ key }: Field): string => `config__${key}`

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
  const change = { refreshes: [configsQuery(project).queryKey, pluginsKey(plugin.organization_id)] }
  const { form, submit, isPending, error } = useServerForm({
    ...change,
    initialValues: {
      config: withDefaults(fields, saved?.config ?? {}),
      order: saved?.order ?? 0,
      api_access: saved?.api_access ?? false,
    },
    send: ({ config, order, api_access }) =>
      saveConfig(project, plugin.id, saved, {
        config: toSend(fields, config),
        order: Number(order) || 0,
        ...(api_access !== (saved?.api_access ?? false) && { api_access }),
      }),
    errorsOf: ({ attr, detail }, { config }) =>
      attr === 'order' || fields.some((field) => attr === attrOf(field) && isVisible(field, config))
        ? { [String(attr)]: detail }
        : {},
    done: ({ enabled }) => (enabled ? 'The settings are saved.' : 'The settings are saved. The plugin is off.'),
    // A new secret leaves the page.
    after: ({ config }, form) => form.setFieldValue('config', withDefaults(fields, config)),
  })
  const remove = useChange({
    ...change,
    send: async () => saved && deleteConfig(project, saved.id),
    done: 'The settings are removed.',
  })
  const { config } = form.values
  const visible = entries.filter((entry) => !isField(entry) || isVisible(entry, config))
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
            onConfirm={() => remove.mutateAsync()}
          >
            Remove settings
          </ConfirmButton>
        )
      }
    >
      <form onSubmit={submit}>
        <Stack>
          {visible.map((entry, index) =>
            isField(entry) ? (
              <SettingField
                key={entry.key}
                field={entry}
                value={config[entry.key]}
                isSet={saved?.config[entry.key] === MASK}
                isRequired={isRequired(entry, config)}
                error={form.errors[attrOf(entry)]}
                onChange={(value) => form.setFieldValue('config', (before) => ({ ...before, [entry.key]: value }))}
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
            {...form.getInputProps('order')}
          />
          <Switch
            label="Read this project with posthog.api"
            description="The plugin reads what you can read here, until you leave the organization. Only administrators can allow it."
            {...form.getInputProps('api_access', { type: 'checkbox' })}
          />
          <FormActions
            submit="Save settings"
            isPending={isPending}
            error={error}
            errorTitle="The settings were not saved"
          />
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
