/** The columns of a plugin, built from a request, a fetched archive or a plugin.json. */
import type { components } from '../contract/openapi.ts'
import { invalid } from '../errors.ts'
import type { NewPlugin, PluginRow, PluginWrite } from '../store/plugins.ts'
import type { Manifest } from './manifest.ts'
import type { CodeInspector } from './runtime/sandbox.ts'
import { requireHiddenSecrets } from './settings.ts'
import { type InspectedCode, inspectFiles, manifestIn, mergeFiles } from './source-files.ts'
import type { FetchedPlugin } from './sources.ts'
import type { PluginUrl } from './url.ts'

type Schemas = components['schemas']
export type PluginInput = Schemas['PluginWrite']
export type NewPluginInput = Schemas['PluginCreate']

export type NewPluginColumns = Omit<NewPlugin, 'organization_id' | 'family'>

/** A fetched plugin takes its description from its own plugin.json, not from the request. */
export async function fetchedPlugin(
  inspector: CodeInspector,
  { origin, url, key }: PluginUrl,
  { plugin_type, is_global = false, metrics }: NewPluginInput,
  { tag, manifest, files }: FetchedPlugin,
): Promise<{ columns: NewPluginColumns; code: InspectedCode }> {
  const code = await inspectFiles(inspector, files)
  const remoteType = plugin_type === 'repository' ? 'repository' : 'custom'
  const columns: NewPluginColumns = {
    ...publishedColumns(manifest),
    plugin_type: origin.host === 'file' ? 'local' : remoteType,
    url,
    url_key: key,
    tag,
    latest_tag: tag,
    is_global,
    capabilities: code.capabilities,
    metrics: jsonText(metrics),
  }
  return { columns, code }
}

/** A plugin whose source is in the request or is uploaded later. */
export async function uploadedPlugin(
  inspector: CodeInspector,
  input: NewPluginInput,
): Promise<{ columns: NewPluginColumns; code: InspectedCode }> {
  requireHiddenSecrets(input.config_schema, (detail) => invalid('config_schema', detail))
  const files = mergeFiles({}, input.source ?? {})
  const manifest = manifestIn(files)
  const code = await inspectFiles(inspector, files)
  const columns: NewPluginColumns = {
    plugin_type: input.source ? 'source' : (input.plugin_type ?? null),
    name: input.name ?? null,
    description: input.description ?? null,
    url: null,
    url_key: null,
    icon: input.icon ?? null,
    config_schema: JSON.stringify(input.config_schema ?? {}),
    tag: input.tag ?? null,
    latest_tag: null,
    is_global: input.is_global ?? false,
    metrics: jsonText(input.metrics),
    public_jobs: jsonText(input.public_jobs),
    ...(manifest && manifestColumns(manifest)),
    capabilities: code.capabilities,
  }
  return { columns, code }
}

/** Fields that an uploaded plugin.json leaves out keep their value. */
export const manifestColumns = ({ name, description, icon, config, publicJobs }: Manifest) => ({
  ...(name !== undefined && { name }),
  ...(description !== undefined && { description }),
  ...(icon !== undefined && { icon }),
  config_schema: JSON.stringify(config ?? []),
  ...(publicJobs !== undefined && { public_jobs: jsonText(publicJobs) }),
})

/** Fields that a published plugin.json leaves out are reset. */
export const publishedColumns = ({ name, description, icon, config, publicJobs }: FetchedPlugin['manifest']) => ({
  name,
  description: description ?? '',
  icon: icon ?? null,
  config_schema: JSON.stringify(config ?? []),
  public_jobs: jsonText(publicJobs),
})

/** The columns of an update. Undefined columns keep their value. */
export function changedColumns(before: PluginRow, input: PluginInput): PluginWrite {
  const { plugin_type, name, description, icon, config_schema, tag, is_global, metrics, public_jobs } = input
  // A schema that an older version accepted can be sent back.
  if (config_schema !== undefined && JSON.stringify(config_schema) !== before.config_schema)
    requireHiddenSecrets(config_schema, (detail) => invalid('config_schema', detail))
  return {
    plugin_type: mayChangeType(before, plugin_type) ? plugin_type : undefined,
    name,
    description,
    icon,
    config_schema: config_schema === undefined ? undefined : JSON.stringify(config_schema),
    tag,
    is_global,
    metrics: metrics === undefined ? undefined : jsonText(metrics),
    public_jobs: public_jobs === undefined ? undefined : jsonText(public_jobs),
  }
}

/** A fetched plugin stays fetched: only `custom` and `repository` can replace each other. */
const mayChangeType = (before: PluginRow, type: PluginInput['plugin_type']): boolean =>
  before.url === null || (before.plugin_type !== 'local' && (type === 'custom' || type === 'repository'))

/** Null stays null; an absent value becomes an empty object. */
const jsonText = (value: object | null | undefined): string | null =>
  value === null ? null : JSON.stringify(value ?? {})
