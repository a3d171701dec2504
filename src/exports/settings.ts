/** Validates the config of a destination against the contract's schema of its type, and separates its secrets. */
import type { OpenApiSchema } from '../contract/document.ts'
import { contract, resolve } from '../contract/table.ts'
import { validator } from '../contract/validation.ts'
import { AppError, invalid } from '../errors.ts'
import type { Outbound } from '../outbound/guard.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import { placeOf } from '../store/secrets.ts'
import { decryptIfReadable, type Vault } from '../store/vault.ts'
import { loadDestination } from './catalog.ts'
import { type Destination, type DestinationConfig, type DestinationType, describeRoleRefusal } from './destination.ts'

export interface DestinationSettings {
  type: DestinationType
  config: DestinationConfig
}

/** Throws for a missing library or an invalid config. `attr` names the key. */
export async function validateSettings(
  { type, config }: DestinationSettings,
  outbound: Outbound,
  role_buckets: readonly string[],
): Promise<Destination<DestinationConfig>> {
  const destination = await loadDestination(type)
  const result = configValidator(type)({ destination: { config } })
  if (result !== true) throw result.error
  destination.validate(config)
  const refusal = describeRoleRefusal(destination, config, role_buckets)
  if (refusal) throw invalid('destination__config__use_default_credentials', refusal)
  for (const { host, port } of destination.hosts?.(config) ?? [])
    await outbound.checkHost(host, port).catch((error) => {
      // A host that does not resolve now may resolve at the first run.
      if (!(error instanceof AppError) || error.code !== 'outbound_refused') return
      const key = Object.keys(config).find((name) => String(config[name]).includes(host))
      throw invalid(`destination__config${key ? `__${key}` : ''}`, error.message, error.code)
    })
  return destination
}

const validators = new Map<string, ReturnType<typeof validator>>()

function configValidator(type: DestinationType): ReturnType<typeof validator> {
  let found = validators.get(type)
  if (!found) {
    const config = configSchema(type)
    const destination = { type: 'object', properties: { config } }
    found = validator({ type: 'object', properties: { destination } }, 'body', true)
    validators.set(type, found)
  }
  return found
}

const SCHEMAS: Record<string, OpenApiSchema> = contract.components.schemas

/** Merges settings and secrets into one schema, because draft-07 has no `unevaluatedProperties`. */
function configSchema(type: DestinationType): OpenApiSchema {
  const { allOf = [], unevaluatedProperties, ...own } = resolve(SCHEMAS[`${type}Config`] ?? {})
  const parts = [...allOf.map((part) => resolve(part)), own]
  return {
    ...own,
    ...(unevaluatedProperties === false && { additionalProperties: false }),
    required: parts.flatMap(({ required }) => required ?? []),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
  }
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
    else if (member.properties && isObject(value)) {
      const inner = splitBySchema(member, value)
      open[key] = inner.open
      if (Object.keys(inner.secret).length) secret[key] = inner.secret
    } else open[key] = value
  }
  return { open, secret }
}

/** The object schema of a member that may be a string or an object, such as Redshift's `authorization`. */
function memberSchema(schema: OpenApiSchema, key: string): OpenApiSchema {
  const found = resolve(schema.properties?.[key] ?? {})
  return found.anyOf?.map((part) => resolve(part)).find(({ properties }) => properties) ?? found
}

/**
 * Throws `required` when a stored secret would go to another receiver than before. Otherwise a caller who may change an
 * export but cannot read its secrets could redirect them to another server.
 */
export function requireResentSecrets(
  stored: DestinationSettings,
  sent: DestinationConfig,
  after: DestinationSettings,
): void {
  if (stored.type !== after.type) return
  const path = findUnsentSecret(configSchema(after.type), stored.config, sent, after.config, false)
  if (!path) return
  throw invalid(
    ['destination', 'config', ...path].join('__'),
    `Send "destination.config.${path.join('.')}" again: this change sends it to another receiver.`,
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
    if (!member.properties || !isObject(value)) continue
    const inner = findUnsentSecret(member, objectAt(stored, key), objectAt(sent, key), value, moved)
    if (inner) return [key, ...inner]
  }
  return undefined
}

/** The value of an `x-secret-receiver` member that decides where secrets go; null when it has no effect. */
function receiver(schema: OpenApiSchema, key: string, config: DestinationConfig): unknown {
  const mark = memberSchema(schema, key)['x-secret-receiver']
  if (!mark) return null
  const { if: needs, unless, absent = null } = mark === true ? {} : mark
  if ((needs !== undefined && !config[needs]) || (unless !== undefined && config[unless])) return null
  return config[key] ?? absent
}

function objectAt(config: DestinationConfig, key: string): DestinationConfig {
  const value = config[key]
  return isObject(value) ? value : {}
}

/** Merges recursively. Keys that are not sent keep their value. */
export function mergeConfig(stored: DestinationConfig, sent: DestinationConfig): DestinationConfig {
  const result = { ...stored }
  for (const [key, value] of Object.entries(sent)) {
    const before = stored[key]
    result[key] = isObject(value) && isObject(before) ? mergeConfig(before, value) : value
  }
  return result
}

const isObject = (value: unknown): value is DestinationConfig =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The columns that store a config. */
export function encryptSettings(
  vault: Vault,
  id: string,
  { type, config }: DestinationSettings,
): Pick<BatchExportRow, 'destination_type' | 'destination_config' | 'secrets'> {
  const { open, secret } = splitSecrets(type, config)
  return {
    destination_type: type,
    destination_config: JSON.stringify(open),
    secrets: Object.keys(secret).length ? vault.encrypt(JSON.stringify(secret), placeOf('batch_exports', id)) : null,
  }
}

/**
 * The settings before an update. Stored secrets that cannot be decrypted are replaced by the secrets in the request.
 * Throws `secret_unreadable` if none is sent.
 */
export function settingsToUpdate(vault: Vault, row: BatchExportRow, sent: DestinationConfig): DestinationSettings {
  const type = row.destination_type as DestinationType
  const isLost =
    row.secrets !== null && decryptIfReadable(vault, row.secrets, placeOf('batch_exports', row.id)) === null
  if (isLost && Object.keys(splitSecrets(type, sent).secret).length > 0)
    return { type, config: JSON.parse(row.destination_config) }
  return decryptSettings(vault, row)
}

/** The settings with their secrets. Throws `secret_unreadable`. */
export function decryptSettings(vault: Vault, row: BatchExportRow): DestinationSettings {
  const config = JSON.parse(row.destination_config)
  const secret = row.secrets === null ? {} : JSON.parse(vault.decrypt(row.secrets, placeOf('batch_exports', row.id)))
  return { type: row.destination_type as DestinationType, config: mergeConfig(config, secret) }
}
