/** Parses and validates plugin.json. */
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { contract, SINGLE_LINE } from '../contract/table.ts'
import type { AppError } from '../errors.ts'
import { replaceInvalidText } from '../json/text.ts'
import { requireHiddenSecrets } from './settings.ts'

const Field = Type.Record(Type.String(), Type.Unknown())

const ManifestSchema = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: SINGLE_LINE })),
  description: Type.Optional(Type.Union([Type.String({ maxLength: 4_000 }), Type.Null()])),
  icon: Type.Optional(Type.Union([Type.String({ maxLength: 800 }), Type.Null()])),
  main: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  config: Type.Optional(Type.Union([Type.Array(Field), Type.Record(Type.String(), Field)])),
  publicJobs: Type.Optional(Type.Union([Type.Record(Type.String(), Field), Type.Null()])),
  stateless: Type.Optional(Type.Boolean()),
})

export type Manifest = Static<typeof ManifestSchema>

/** Completes the sentence `"key" in plugin.json must be …`. */
const EXPECTED: Record<string, string> = {
  name: 'a single-line text of 1 to 200 characters',
  description: 'a text of at most 4,000 characters',
  icon: 'a URL of at most 800 characters',
  main: 'the name of a file',
  config: 'a list of fields, or an object from key to field',
  publicJobs: 'an object from name to job',
  stateless: 'true or false',
} satisfies Record<keyof Manifest, string>

const { config_schema, public_jobs } = contract.components.schemas.PluginWrite.properties
/** The same limits as for a request, because lists of plugins include the manifest. */
const MAX_JSON: Record<string, number> = { config: config_schema['x-max-json'], publicJobs: public_jobs['x-max-json'] }

/** More than the fields above can take. Parsing 1 MB with many keys blocks the server for 600 ms. */
const MAX_LENGTH = Object.values(MAX_JSON).reduce((sum, length) => sum + length, 50_000)

function requireJsonLimits(manifest: object, toError: (detail: string) => AppError): void {
  for (const [key, value] of Object.entries(manifest))
    if (JSON.stringify(value).length > (MAX_JSON[key] ?? Number.POSITIVE_INFINITY))
      throw toError(`"${key}" in plugin.json is longer than ${MAX_JSON[key]} characters. Shorten it.`)
}

/** Throws the error that `toError` builds from the problem found. */
export function readManifest(text: string, toError: (detail: string) => AppError): Manifest {
  if (text.length > MAX_LENGTH) throw toError(`plugin.json is longer than ${MAX_LENGTH} characters. Shorten it.`)
  let manifest: unknown
  try {
    manifest = replaceInvalidText(JSON.parse(text.replace(/^\ufeff/, '')))
  } catch {
    throw toError('plugin.json is not valid JSON. Check its quotes, commas and brackets.')
  }
  if (typeof manifest !== 'object' || manifest === null || Array.isArray(manifest))
    throw toError('plugin.json must contain an object, such as {"name": "My plugin"}.')
  requireJsonLimits(manifest, toError)
  if (!Value.Check(ManifestSchema, manifest)) {
    const [, key = ''] = Value.Errors(ManifestSchema, manifest).First()?.path.split('/') ?? []
    throw toError(`"${key}" in plugin.json must be ${EXPECTED[key]}.`)
  }
  const { stateless, config = [] } = manifest
  if (stateless && Object.keys(config).length)
    throw toError('A stateless plugin cannot have "config" in plugin.json. Remove "stateless" or "config".')
  requireHiddenSecrets(config, (detail) => toError(`plugin.json: ${detail}`))
  return manifest
}
