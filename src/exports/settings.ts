/** Validates the config of a destination against the contract's schema of its type, and separates its secrets. */

import type { OpenApiSchema } from '../contract/document.ts'
import { validator } from '../contract/validation.ts'
import { AppError, invalid } from '../errors.ts'
import { isJsonObject } from '../json/object.ts'
import { storedJson } from '../json/stored.ts'
import type { Outbound } from '../outbound/guard.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import type { IntegrationRow } from '../store/integrations.ts'
import { ownerOf } from '../store/secrets.ts'
import { decryptIfReadable, type Vault } from '../store/vault.ts'
import { loadDestination } from './catalog.ts'
import { configSchema, credentialsSchema, isEffective, memberSchema, objectAt, receiverMark } from './config-schema.ts'
import { combineConfig, missingReceiver } from './credentials.ts'
import { type Destination, type DestinationConfig, type DestinationType, describeRoleRefusal } from './destination.ts'

export interface DestinationSettings {
  type: DestinationType
  config: DestinationConfig
}

/** The destination of an export. With an integration, `config` has only the keys of the export. */
export interface ExportDestination extends DestinationSettings {
  integration: IntegrationRow | null
}

/** The `attr` of a config in the request of an export. */
export const CONFIG_OF_EXPORT = 'destination__config'
/** The `attr` of a config in the request of an integration. */
export const CONFIG_OF_INTEGRATION = 'config'

/** Throws for a missing library or an invalid config. `attr` names the key. */
export async function validateSettings(
  { type, config }: DestinationSettings,
  outbound: Outbound,
  role_buckets: readonly string[],
  field = CONFIG_OF_EXPORT,
): Promise<Destination<DestinationConfig>> {
  const destination = await loadDestination(type, field === CONFIG_OF_EXPORT ? 'destination__type' : 'kind')
  requireValid(configSchema(type), config, field)
  validateConfig(destination, config, field)
  const refusal = describeRoleRefusal(destination, config, role_buckets)
  if (refusal) throw invalid(`${field}__use_default_credentials`, refusal)
  await checkHosts(destination, config, outbound, field)
  return destination
}

/** Throws for a missing library or invalid credentials of an integration. */
export async function validateCredentials({ type, config }: DestinationSettings, outbound: Outbound): Promise<void> {
  const field = CONFIG_OF_INTEGRATION
  const destination = await loadDestination(type, 'kind')
  requireValid(credentialsSchema(type), config, field)
  const missing = missingReceiver(type, config)
  if (missing !== undefined)
    throw invalid(
      `${field}__${missing}`,
      `"${field}.${missing}" is required: with these settings it decides where the secrets are sent. Send it.`,
      'required',
    )
  validateConfig(destination, config, field)
  await checkHosts(destination, config, outbound, field)
}

function requireValid(schema: OpenApiSchema, config: DestinationConfig, field: string): void {
  const key = `${field} ${schema.title}`
  const keys = field.split('__')
  const validate =
    validators.get(key) ??
    validator(
      keys.reduceRight<OpenApiSchema>((inner, name) => ({ type: 'object', properties: { [name]: inner } }), schema),
      'body',
      true,
    )
  validators.set(key, validate)
  const result = validate(keys.reduceRight<unknown>((inner, name) => ({ [name]: inner }), config))
  if (result !== true) throw result.error
}

const validators = new Map<string, ReturnType<typeof validator>>()

function validateConfig(destination: Destination<DestinationConfig>, config: DestinationConfig, field: string): void {
  try {
    destination.validate(config)
  } catch (error) {
    if (!(error instanceof AppError) || !error.attr) throw error
    throw invalid(error.attr.replace(CONFIG_OF_EXPORT, field), error.message, error.code)
  }
}

async function checkHosts(
  destination: Destination<DestinationConfig>,
  config: DestinationConfig,
  outbound: Outbound,
  field: string,
): Promise<void> {
  for (const { host, port } of destination.hosts?.(config) ?? [])
    await outbound.checkHost(host, port).catch((error) => {
      // A host that does not resolve now may resolve at the first run.
      if (!(error instanceof AppError) || error.code !== 'outbound_refused') return
      const key = Object.keys(config).find((name) => String(config[name]).includes(host))
      throw invalid(`${field}${key ? `__${key}` : ''}`, error.message, error.code)
    })
}

/** Splits a config into `writeOnly` keys and the rest. */
export const splitSecrets = (type: DestinationType, config: DestinationConfig): SplitConfig =>
  splitBySchema(configSchema(type), config)

interface SplitConfig {
  open: DestinationConfig
  secret: DestinationConfig
}

function splitBySchema(schema: OpenApiSchema, config: DestinationConfig): SplitConfig {
  const open: DestinationConfig = {}
  const secret: DestinationConfig = {}
  for (const [key, value] of Object.entries(config)) {
    const member = memberSchema(schema, key)
    if (member.writeOnly) secret[key] = value
    else if (member.properties && isJsonObject(value)) {
      const inner = splitBySchema(member, value)
      open[key] = inner.open
      if (Object.keys(inner.secret).length) secret[key] = inner.secret
    } else open[key] = value
  }
  return { open, secret }
}

/**
 * Throws `required` when a stored secret would go to another receiver than before. Otherwise a caller who may change a
 * config but cannot read its secrets could redirect them to another server.
 */
export function requireResentSecrets(
  stored: DestinationSettings,
  sent: DestinationConfig,
  after: DestinationSettings,
  field = CONFIG_OF_EXPORT,
): void {
  if (stored.type !== after.type) return
  const path = findUnsentSecret(configSchema(after.type), stored.config, sent, after.config, false)
  if (!path) return
  throw invalid(
    [field, ...path].join('__'),
    `Send "${[...field.split('__'), ...path].join('.')}" again: this change sends it to another receiver.`,
    'required',
  )
}

/** The path of the first secret that was not sent although its receiver changes. */
function findUnsentSecret(
  schema: OpenApiSchema,
  stored: DestinationConfig,
  sent: DestinationConfig,
  after: DestinationConfig,
  parentMoved: boolean,
): string[] | undefined {
  const keys = Object.keys(schema.properties ?? {})
  const moved = parentMoved || keys.some((key) => receiver(schema, key, stored) !== receiver(schema, key, after))
  for (const key of keys) {
    const member = memberSchema(schema, key)
    const value = after[key]
    if (member.writeOnly && moved && value !== undefined && sent[key] === undefined) return [key]
    if (!member.properties || !isJsonObject(value)) continue
    const inner = findUnsentSecret(member, objectAt(stored, key), objectAt(sent, key), value, moved)
    if (inner) return [key, ...inner]
  }
  return undefined
}

/** The value of an `x-secret-receiver` member that decides where secrets go; null when it has no effect. */
function receiver(schema: OpenApiSchema, key: string, config: DestinationConfig): unknown {
  const mark = receiverMark(schema, key)
  return mark && isEffective(mark, config) ? (config[key] ?? mark.absent ?? null) : null
}

/** An empty object is null where the contract requires keys: clients send one for settings that have no effect. */
export function withoutEmptyParts(type: DestinationType, config: DestinationConfig): DestinationConfig {
  const schema = configSchema(type)
  const isEmptyPart = ([key, value]: [string, unknown]): boolean => {
    const { type: types = [], required = [] } = memberSchema(schema, key)
    return types.includes('null') && required.length > 0 && isJsonObject(value) && Object.keys(value).length === 0
  }
  return Object.fromEntries(Object.entries(config).map((entry) => (isEmptyPart(entry) ? [entry[0], null] : entry)))
}

/** Merges recursively. Keys that are not sent keep their value. */
export function mergeConfig(stored: DestinationConfig, sent: DestinationConfig): DestinationConfig {
  const result = { ...stored }
  for (const [key, value] of Object.entries(sent)) {
    const before = stored[key]
    result[key] = isJsonObject(value) && isJsonObject(before) ? mergeConfig(before, value) : value
  }
  return result
}

/** The columns that store the destination of an export. */
export function encryptSettings(
  vault: Vault,
  id: string,
  { type, config, integration }: ExportDestination,
): Pick<BatchExportRow, 'destination_type' | 'destination_config' | 'secrets' | 'integration_id'> {
  const { open, secrets } = encryptSecrets(vault, ownerOf('batch_exports', id), { type, config })
  return { destination_type: type, destination_config: open, secrets, integration_id: integration?.id ?? null }
}

/** The JSON without secrets, and the encrypted secrets. */
export function encryptSecrets(
  vault: Vault,
  owner: string,
  { type, config }: DestinationSettings,
): { open: string; secrets: string | null } {
  const { open, secret } = splitSecrets(type, config)
  return {
    open: JSON.stringify(open),
    secrets: Object.keys(secret).length ? vault.encrypt(JSON.stringify(secret), owner) : null,
  }
}

/** A config as it is stored, with the owner of its secrets. */
interface StoredSettings {
  type: DestinationType
  config: string
  secrets: string | null
  owner: string
}

const settingsOfExport = ({ id, destination_type, destination_config, secrets }: BatchExportRow): StoredSettings => ({
  type: destination_type,
  config: destination_config,
  secrets,
  owner: ownerOf('batch_exports', id),
})

const settingsOfIntegration = ({ id, kind, config, secrets }: IntegrationRow): StoredSettings => ({
  type: kind,
  config,
  secrets,
  owner: ownerOf('integrations', id),
})

function decryptStored(vault: Vault, { type, config, secrets, owner }: StoredSettings): DestinationSettings {
  const secret = secrets === null ? {} : storedJson<DestinationConfig>(vault.decrypt(secrets, owner))
  return { type, config: mergeConfig(storedJson(config), secret) }
}

/**
 * The settings before an update. Stored secrets that cannot be decrypted are replaced by the secrets in the request.
 * Throws `secret_unreadable` if none is sent.
 */
function decryptToUpdate(vault: Vault, stored: StoredSettings, sent: DestinationConfig): DestinationSettings {
  const { type, config, secrets, owner } = stored
  const isLost = secrets !== null && decryptIfReadable(vault, secrets, owner) === null
  if (isLost && Object.keys(splitSecrets(type, sent).secret).length > 0) return { type, config: storedJson(config) }
  return decryptStored(vault, stored)
}

/** The settings of an export itself before an update. */
export const settingsToUpdate = (vault: Vault, row: BatchExportRow, sent: DestinationConfig): DestinationSettings =>
  decryptToUpdate(vault, settingsOfExport(row), sent)

export const credentialsToUpdate = (vault: Vault, row: IntegrationRow, sent: DestinationConfig): DestinationSettings =>
  decryptToUpdate(vault, settingsOfIntegration(row), sent)

/** The settings with their secrets and the credentials of the integration. Throws `secret_unreadable`. */
export function decryptSettings(
  vault: Vault,
  row: BatchExportRow,
  integration: IntegrationRow | null = null,
): DestinationSettings {
  if (row.integration_id !== (integration?.id ?? null))
    throw new Error(`The integration of export ${row.id} is missing.`)
  return effectiveSettings(vault, { ...decryptStored(vault, settingsOfExport(row)), integration })
}

/** The settings that a delivery uses. Throws `secret_unreadable`. */
export function effectiveSettings(vault: Vault, { type, config, integration }: ExportDestination): DestinationSettings {
  if (!integration) return { type, config }
  const credentials = decryptStored(vault, settingsOfIntegration(integration)).config
  return { type, config: combineConfig(type, config, credentials) }
}

/** The config that responses contain: without secrets, with the other keys of the integration. */
export function visibleConfig(row: BatchExportRow, integration: IntegrationRow | undefined): DestinationConfig {
  const config = storedJson<DestinationConfig>(row.destination_config)
  return integration ? combineConfig(row.destination_type, config, storedJson(integration.config)) : config
}
