/** The values of a form as the server reads them. */
import { type Config, type Field, fieldsThatApply, nestedConfig } from './config-schema.ts'

export const isUnset = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** The config without settings that are not set or do not apply. */
export const sentConfig = (fields: readonly Field[], config: Config): Config =>
  nestedConfig(setConfig(fieldsThatApply(fields, config), config))

const setConfig = (fields: readonly Field[], config: Config): Config =>
  Object.fromEntries(
    fields.flatMap(({ key, mayBeEmpty }) => {
      if (!isUnset(config[key])) return [[key, config[key]]]
      return mayBeEmpty ? [[key, '']] : []
    }),
  )

/** The settings that changed. A setting that is no longer set is sent as null, or as an empty text if null is not allowed. */
export const changedConfig = (fields: readonly Field[], before: Config, after: Config): Config =>
  nestedConfig(changes(fields, before, after))

function changes(fields: readonly Field[], before: Config, after: Config): Config {
  const changed = fields.flatMap(({ key, kind, nullable }) => {
    const [old, value] = [before[key], after[key]]
    if (kind === 'secret') return isUnset(value) ? [] : [[key, value]]
    if (JSON.stringify(old) === JSON.stringify(value) || (isUnset(old) && isUnset(value))) return []
    return [[key, isUnset(value) ? (nullable ? null : '') : value]]
  })
  return Object.fromEntries(changed)
}

/** The settings after a change of the credentials. Those that came from the credentials are sent in any case. */
export const movedConfig = (fields: readonly Field[], before: Config, after: Config): Config =>
  nestedConfig({
    ...changes(fields, before, after),
    ...setConfig(
      fields.filter(({ credential }) => credential !== 'never'),
      after,
    ),
  })
