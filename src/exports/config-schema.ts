/** The contract's schemas of destination configs, and of the parts that integrations store. */

import type { OpenApiSchema } from '../contract/document.ts'
import { contract, resolve } from '../contract/table.ts'
import { isJsonObject } from '../json/object.ts'
import type { DestinationConfig, DestinationType } from './destination.ts'

const SCHEMAS: Record<string, OpenApiSchema> = contract.components.schemas

/** Merges settings and secrets into one schema, because draft-07 has no `unevaluatedProperties`. */
export function configSchema(type: DestinationType): OpenApiSchema {
  const { allOf = [], unevaluatedProperties, ...own } = resolve(SCHEMAS[`${type}Config`] ?? {})
  const parts = [...allOf.map((part) => resolve(part)), own]
  return {
    ...own,
    ...(unevaluatedProperties === false && { additionalProperties: false }),
    required: parts.flatMap(({ required }) => required ?? []),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
  }
}

/** The part of the config that integrations of this kind store. Empty for types without secrets. */
export const credentialsSchema = (kind: DestinationType): OpenApiSchema => SCHEMAS[`${kind}Credentials`] ?? {}

/** The object schema of a member that may be a string or an object, such as Redshift's `authorization`. */
export function memberSchema(schema: OpenApiSchema, key: string): OpenApiSchema {
  const found = resolve(schema.properties?.[key] ?? {})
  return found.anyOf?.map((part) => resolve(part)).find(({ properties }) => properties) ?? found
}

type ReceiverMark = Exclude<NonNullable<OpenApiSchema['x-secret-receiver']>, true>

/** The `x-secret-receiver` of a member; undefined if it has none. */
export function receiverMark(schema: OpenApiSchema, key: string): ReceiverMark | undefined {
  const mark = memberSchema(schema, key)['x-secret-receiver']
  return mark === true ? {} : mark
}

/** Whether a receiver matters only with or without another key. */
export const isConditional = ({ if: needs, unless }: ReceiverMark): boolean =>
  needs !== undefined || unless !== undefined

/** Whether the receiver decides where the secrets of this config are sent. */
export const isEffective = ({ if: needs, unless }: ReceiverMark, config: DestinationConfig): boolean =>
  !((needs !== undefined && !config[needs]) || (unless !== undefined && config[unless]))

export function objectAt(config: DestinationConfig, key: string): DestinationConfig {
  const value = config[key]
  return isJsonObject(value) ? value : {}
}
