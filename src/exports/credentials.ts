/**
 * Divides the config of a destination between an export and its integration. The integration has the secrets and decides
 * where they are sent. An export cannot set these keys, also if the integration leaves them at their default.
 */

import { isDeepStrictEqual } from 'node:util'
import type { OpenApiSchema } from '../contract/document.ts'
import { invalid } from '../errors.ts'
import { isJsonObject } from '../json/object.ts'
import {
  configSchema,
  credentialsSchema,
  isConditional,
  isEffective,
  memberSchema,
  objectAt,
  receiverMark,
} from './config-schema.ts'
import type { DestinationConfig, DestinationType } from './destination.ts'

/** The schemas of an object: whole, and the part of the credentials. */
interface Schemas {
  whole: OpenApiSchema
  part: OpenApiSchema
}

const schemasOf = (kind: DestinationType): Schemas => ({ whole: configSchema(kind), part: credentialsSchema(kind) })

const schemasAt = ({ whole, part }: Schemas, key: string): Schemas => ({
  whole: memberSchema(whole, key),
  part: memberSchema(part, key),
})

/** Whether an object has keys of the export and keys of the integration, such as Redshift's `copy_inputs`. */
function isShared(schemas: Schemas, key: string): boolean {
  const { whole, part } = schemasAt(schemas, key)
  return Object.keys(whole.properties ?? {}).some((name) => !(name in (part.properties ?? {})))
}

/** A receiver that has no effect, such as the bucket in a path, may be left to the exports. */
function isCredential({ part }: Schemas, key: string, credentials: DestinationConfig): boolean {
  if (!part.properties?.[key]) return false
  const mark = receiverMark(part, key)
  return !mark || !isConditional(mark) || isEffective(mark, credentials) || credentials[key] !== undefined
}

interface DividedConfig {
  own: DestinationConfig
  /** The paths of the keys that belong to the integration. */
  others: string[][]
}

function divide(schemas: Schemas, config: DestinationConfig, credentials: DestinationConfig): DividedConfig {
  const own: DestinationConfig = {}
  const others: string[][] = []
  for (const [key, value] of Object.entries(config)) {
    if (!isCredential(schemas, key, credentials)) own[key] = value
    else if (!isShared(schemas, key)) others.push([key])
    else if (isJsonObject(value)) {
      const inner = divide(schemasAt(schemas, key), value, objectAt(credentials, key))
      own[key] = inner.own
      others.push(...inner.others.map((path) => [key, ...path]))
    } else own[key] = value
  }
  return { own, others }
}

/** The keys of a config that stay in the export. */
export const withoutCredentials = (
  kind: DestinationType,
  config: DestinationConfig,
  credentials: DestinationConfig,
): DestinationConfig => divide(schemasOf(kind), config, credentials).own

/**
 * Throws when a config sets a key of the integration to another value. `credentials` has no secrets: a secret is always
 * rejected, because a comparison would let callers guess it.
 */
export function requireNoOverride(
  kind: DestinationType,
  config: DestinationConfig,
  credentials: DestinationConfig,
  field = 'destination__config',
): void {
  const { others } = divide(schemasOf(kind), config, credentials)
  const path = others.find((path) => !isDeepStrictEqual(valueAt(config, path), valueAt(credentials, path)))
  if (path)
    throw invalid(
      [field, ...path].join('__'),
      `"${path.join('.')}" comes from the integration. Remove it, or change it in the integration.`,
    )
}

const valueAt = (config: DestinationConfig, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (isJsonObject(inner) ? inner[key] : undefined), config) ?? null

/** The config of an export with the credentials of its integration. */
export const combineConfig = (
  kind: DestinationType,
  own: DestinationConfig,
  credentials: DestinationConfig,
): DestinationConfig => combine(schemasOf(kind), own, credentials)

function combine(schemas: Schemas, own: DestinationConfig, credentials: DestinationConfig): DestinationConfig {
  const result = { ...own }
  for (const [key, value] of Object.entries(credentials)) {
    const before = own[key]
    if (!isShared(schemas, key)) result[key] = value
    // An export that has no such object does not use these credentials.
    else if (isJsonObject(before) && isJsonObject(value)) result[key] = combine(schemasAt(schemas, key), before, value)
  }
  return result
}

/** Whether the integration decides the value at a path of the config. */
export const isCredentialPath = (
  kind: DestinationType,
  path: readonly string[],
  credentials: DestinationConfig,
): boolean => isCredentialIn(schemasOf(kind), path, credentials)

function isCredentialIn(
  schemas: Schemas,
  [key = '', ...rest]: readonly string[],
  credentials: DestinationConfig,
): boolean {
  if (!isCredential(schemas, key, credentials)) return false
  return !isShared(schemas, key) || isCredentialIn(schemasAt(schemas, key), rest, objectAt(credentials, key))
}

/** The first conditional receiver that has an effect and no value. */
export const missingReceiver = (kind: DestinationType, credentials: DestinationConfig): string | undefined => {
  const { whole, part } = schemasOf(kind)
  return Object.keys(part.properties ?? {}).find((key) => {
    const mark = receiverMark(part, key)
    const isNeeded = mark && isConditional(mark) && isEffective(mark, credentials) && whole.required?.includes(key)
    return isNeeded && credentials[key] === undefined
  })
}
