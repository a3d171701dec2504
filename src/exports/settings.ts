/** Validates the config of a destination by the contract's schema of its type and separates its secrets. */
import { contract, resolve } from '../contract/table.ts'
import { validator } from '../contract/validation.ts'
import { AppError, invalid } from '../errors.ts'
import type { Outbound } from '../outbound/guard.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import { placeOf } from '../store/secrets.ts'
import type { Vault } from '../store/vault.ts'
import { destinationOf, SERVED_TYPES } from './catalogue.ts'
import type { Destination, DestinationType } from './destination.ts'

type Json = Record<string, any>

export interface Settings {
  type: DestinationType
  config: Json
}

/** Throws for an unsupported type or an invalid config. `attr` names the key. */
export async function checkSettings({ type, config }: Settings, outbound: Outbound): Promise<Destination<any>> {
  const served = await destinationOf(type)
  if (!served)
    throw invalid(
      'destination__type',
      `${type} is not served yet. Use one of ${SERVED_TYPES.join(', ')}.`,
      'unsupported_destination',
    )
  const result = configValidator(type)({ destination: { config } })
  if (result !== true) throw result.error
  served.check(config)
  for (const { host, port } of served.hosts?.(config) ?? [])
    await outbound.checkHost(host, port).catch((error) => {
      // A host without an address now may have one at the first run.
      if (!(error instanceof AppError) || error.code !== 'outbound_refused') return
      const key = Object.keys(config).find((name) => String(config[name]).includes(host))
      throw invalid(`destination__config${key ? `__${key}` : ''}`, error.message, error.code)
    })
  return served
}

const validators = new Map<string, ReturnType<typeof validator>>()

function configValidator(type: DestinationType): ReturnType<typeof validator> {
  let found = validators.get(type)
  if (!found) {
    const config = schemaOf(type)
    const destination = { type: 'object', properties: { config } }
    found = validator({ type: 'object', properties: { destination } }, 'body', true)
    validators.set(type, found)
  }
  return found
}

/** Merges settings and secrets into one schema, because draft-07 has no `unevaluatedProperties`. */
function schemaOf(type: DestinationType): Json {
  const { allOf = [], unevaluatedProperties: more, ...own } = resolve<Json>(contract.components.schemas[`${type}Config`])
  const parts: Json[] = [...allOf.map(resolve), own]
  return {
    ...own,
    ...(more === false && { additionalProperties: false }),
    required: parts.flatMap(({ required }) => required ?? []),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
  }
}

/** Splits a config into `writeOnly` keys and the rest. */
export function split(type: DestinationType, config: Json): { open: Json; secret: Json } {
  const part = (schema: Json, value: Json): { open: Json; secret: Json } => {
    const open: Json = {}
    const secret: Json = {}
    for (const [key, member] of Object.entries(value)) {
      const of = memberSchema(schema, key)
      if (of.writeOnly) secret[key] = member
      else if (of.properties && typeof member === 'object' && member !== null) {
        const inner = part(of, member)
        open[key] = inner.open
        if (Object.keys(inner.secret).length) secret[key] = inner.secret
      } else open[key] = member
    }
    return { open, secret }
  }
  return part(schemaOf(type), config)
}

/** The object schema of a member that may be a string or an object, such as Redshift's `authorization`. */
function memberSchema(schema: Json, key: string): Json {
  const found = schema.properties?.[key] ? resolve(schema.properties[key]) : {}
  return (found.anyOf ?? []).map(resolve).find(({ properties }: Json) => properties) ?? found
}

/**
 * Throws `required` when a stored secret would go to another receiver than before. Otherwise a caller who may change an
 * export, but never saw its secrets, could have them delivered to a server of their own.
 */
export function demandSecretsAgain(stored: Settings, sent: Json, after: Settings): void {
  if (stored.type !== after.type) return
  const kept = keptSecret(schemaOf(after.type), stored.config, sent, after.config, false)
  if (!kept) return
  throw invalid(
    ['destination', 'config', ...kept].join('__'),
    `Send "destination.config.${kept.join('.')}" again: this change sends it to another receiver.`,
    'required',
  )
}

/** The path of the first secret that was not sent although its receiver changes. */
function keptSecret(schema: Json, stored: Json, sent: Json, after: Json, moved: boolean): string[] | undefined {
  const keys = Object.keys(schema.properties)
  const moves = moved || keys.some((key) => receiver(schema, key, stored) !== receiver(schema, key, after))
  for (const key of keys) {
    const of = memberSchema(schema, key)
    if (of.writeOnly && moves && after[key] !== undefined && sent[key] === undefined) return [key]
    if (!of.properties || !isObject(after[key])) continue
    const inner = keptSecret(of, objectAt(stored, key), objectAt(sent, key), after[key], moves)
    if (inner) return [key, ...inner]
  }
  return undefined
}

/** The value of an `x-secret-receiver` member that decides where secrets go; null when it has no effect. */
function receiver(schema: Json, key: string, config: Json): unknown {
  const mark = memberSchema(schema, key)['x-secret-receiver']
  if (!mark || (mark.if && !config[mark.if]) || (mark.unless && config[mark.unless])) return null
  return config[key] ?? mark.absent ?? null
}

const objectAt = (value: Json, key: string): Json => (isObject(value[key]) ? value[key] : {})

/** Merges recursively. Keys that are not sent keep their value. */
export function merged(stored: Json, sent: Json): Json {
  const result = { ...stored }
  for (const [key, value] of Object.entries(sent))
    result[key] = isObject(value) && isObject(stored[key]) ? merged(stored[key], value) : value
  return result
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The columns that store a config. */
export function sealed(
  vault: Vault,
  id: string,
  { type, config }: Settings,
): Pick<BatchExportRow, 'destination_type' | 'destination_config' | 'secrets'> {
  const { open, secret } = split(type, config)
  return {
    destination_type: type,
    destination_config: JSON.stringify(open),
    secrets: Object.keys(secret).length ? vault.seal(JSON.stringify(secret), placeOf('batch_exports', id)) : null,
  }
}

/** The settings with their secrets. Throws `secret_unreadable`. */
export function opened(vault: Vault, row: BatchExportRow): Settings {
  const config = JSON.parse(row.destination_config)
  const secret = row.secrets === null ? {} : JSON.parse(vault.open(row.secrets, placeOf('batch_exports', row.id)))
  return { type: row.destination_type as DestinationType, config: merged(config, secret) }
}
