/** Loads the configurations that run: their code, and their settings with decrypted secrets. */
import type { Logger } from 'pino'
import { unavailable } from '../../errors.ts'
import { storedJson } from '../../json/stored.ts'
import type { Database } from '../../sql/db.ts'
import * as store from '../../store/plugin_runtime.ts'
import { ownerOf } from '../../store/secrets.ts'
import { decryptIfReadable, type Vault } from '../../store/vault.ts'
import { secretTexts, storedFile } from '../attachments.ts'
import { type Field, fieldsOf } from '../settings.ts'
import type { Capabilities } from './capabilities.ts'
import type { Attachment } from './messages.ts'
import type { Configuration } from './sandbox.ts'

export interface RunningConfiguration extends Configuration {
  plugin_id: number
  organization_id: string
  name: string
  capabilities: Capabilities
  /** A HogQL condition for stored events; null for all. */
  where: string | null
  /** The administrator who allowed `posthog.api`. */
  api_access_user_id: number | null
}

export interface Configurations {
  /**
   * The configurations of a project that change events, in their order. They are at most a second old. Throws if they cannot be read: events must
   * not be stored without the plugins that may remove personal data.
   */
  transformations(project_id: number): Promise<readonly RunningConfiguration[]>
  /** Undefined when it does not run any more, or its secrets cannot be decrypted. */
  get(id: number): Promise<RunningConfiguration | undefined>
  load(row: store.RunningConfigRow): Promise<RunningConfiguration | undefined>
  /** The configurations in memory. */
  loaded(): number[]
  free(id: number): void
}

const CACHE_MS = 1_000
const MAX_CACHED_PROJECTS = 10_000
const MAX_LOADED = 1_000
/** Of the code and the settings. */
const MAX_LOADED_CHARACTERS = 64 * 1024 * 1024

const NO_CAPABILITIES: Capabilities = { methods: [], jobs: [], scheduled_tasks: [] }

export function createConfigurations({
  db,
  vault,
  milliseconds,
  site_url,
  log,
}: {
  db: Database
  vault: Vault
  milliseconds: () => number
  site_url: string
  log: Logger
}): Configurations {
  const chains = new Map<number, { at: number; changes: number | undefined; chain: Promise<RunningConfiguration[]> }>()
  /** The configurations by id. The oldest is removed first. */
  const loaded = new Map<number, RunningConfiguration>()
  let characters = 0

  function remove(id: number): RunningConfiguration | undefined {
    const configuration = loaded.get(id)
    if (!configuration) return undefined
    characters -= sizeOf(configuration)
    loaded.delete(id)
    return configuration
  }

  /** JSON, empty without secrets. Null when it cannot be decrypted. */
  const secretsOf = ({ id, secrets }: store.RunningConfigRow): string | null =>
    secrets === null ? '' : decryptIfReadable(vault, secrets, ownerOf('plugin_configs', id))

  async function load(row: store.RunningConfigRow): Promise<RunningConfiguration | undefined> {
    const known = loaded.get(row.id)
    if (known?.version === versionOf(row)) return known
    const files = await store.code(db, row.plugin_id)
    if (!files) return undefined
    const secrets = secretsOf(row)
    if (secrets === null) {
      log.error({ plugin_config: row.id }, 'the secrets of a plugin configuration cannot be decrypted; it does not run')
      return undefined
    }
    const hidden = secrets ? storedJson<Record<string, unknown>>(secrets) : {}
    const configuration = runningConfiguration(row, files, hidden, site_url)
    remove(row.id)
    loaded.set(row.id, configuration)
    characters += sizeOf(configuration)
    for (const oldest of loaded.keys()) {
      if (loaded.size <= MAX_LOADED && characters <= MAX_LOADED_CHARACTERS) break
      remove(oldest)
    }
    return configuration
  }

  async function readChain(project_id: number): Promise<RunningConfiguration[]> {
    const rows = await store.ofProject(db, project_id)
    const chain: RunningConfiguration[] = []
    for (const row of rows) {
      if (!row.capabilities.includes('"processEvent"')) continue
      const configuration = await load(row)
      if (configuration) chain.push(configuration)
      else if (secretsOf(row) === null)
        throw unavailable(
          'The secrets of a plugin of this project cannot be decrypted. Send them again, or start the server with the key that encrypted them.',
        )
    }
    return chain
  }

  return {
    transformations: (project_id) => {
      const at = milliseconds()
      const changes = db.changes()
      const found = chains.get(project_id)
      // Without a commit of any process, SQLite needs no query.
      const isFresh =
        found && (changes === undefined ? at - found.at < CACHE_MS && at >= found.at : changes === found.changes)
      if (found && isFresh) return found.chain
      if (chains.size >= MAX_CACHED_PROJECTS) chains.clear()
      const chain = readChain(project_id)
      chain.catch(() => chains.delete(project_id))
      chains.set(project_id, { at, changes, chain })
      return chain
    },
    get: async (id) => {
      const row = await store.get(db, id)
      return row && load(row)
    },
    load,
    loaded: () => [...loaded.keys()],
    free: (id) => {
      const configuration = remove(id)
      // The next event of the project reads its chain again.
      if (configuration) chains.delete(configuration.project_id)
    },
  }
}

const versionOf = ({ revision, updated_at }: store.RunningConfigRow): string => `${revision} ${updated_at}`

/** `hidden`: the decrypted secrets. */
function runningConfiguration(
  row: store.RunningConfigRow,
  files: Record<string, string>,
  hidden: Record<string, unknown>,
  site_url: string,
): RunningConfiguration {
  const { id, plugin_id, project_id, organization_id, project_name, api_access_user_id } = row
  const filters = row.filters === null ? null : storedJson<{ where?: string }>(row.filters)
  const project = { id: project_id, name: project_name, url: site_url && `${site_url}/project/${project_id}` }
  const values = { ...storedJson<Record<string, unknown>>(row.config), ...hidden }
  return {
    id,
    version: versionOf(row),
    files,
    settings: settingsOf(fieldsOf(row), values, { filters, project }),
    secrets: Object.entries(hidden).flatMap(([key, value]) => secretTexts(key, value)),
    plugin_id,
    project_id,
    organization_id,
    name: row.name || row.plugin_name || `Plugin ${plugin_id}`,
    capabilities: { ...NO_CAPABILITIES, ...storedJson<Partial<Capabilities>>(row.capabilities) },
    where: filters?.where ?? null,
    api_access_user_id,
  }
}

const sizeOf = ({ files, settings }: RunningConfiguration): number =>
  Object.values(files).reduce((sum, text) => sum + text.length, settings.length)

/** Files are part of the stored settings, and separate in `meta`. */
export function settingsOf(
  fields: readonly Field[],
  values: Record<string, unknown>,
  { filters, project }: { filters: unknown; project: { id: number; name: string; url: string } },
): string {
  const config = { ...values }
  const attachments: Attachment[] = []
  const templates: string[] = []
  for (const { key, type, templating } of fields) {
    if (templating) templates.push(key)
    if (type !== 'attachment') continue
    const file = storedFile(key, config[key])
    delete config[key]
    if (!file) continue
    const { content_type, file_name, contents } = file
    attachments.push({ key, content_type, file_name, base64: contents })
  }
  return JSON.stringify({ config, attachments, webhooks: { templates, filters, project } })
}
