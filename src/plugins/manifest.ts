/** plugin.json: what a plugin says of itself. */
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { contract, SINGLE_LINE } from '../contract/table.ts'
import type { AppError } from '../errors.ts'
import { replaceInvalidText } from '../json/text.ts'

const Field = Type.Record(Type.String(), Type.Unknown())

const Manifest = Type.Object({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: SINGLE_LINE })),
  description: Type.Optional(Type.Union([Type.String({ maxLength: 4_000 }), Type.Null()])),
  icon: Type.Optional(Type.Union([Type.String({ maxLength: 800 }), Type.Null()])),
  main: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  config: Type.Optional(Type.Union([Type.Array(Field), Type.Record(Type.String(), Field)])),
  publicJobs: Type.Optional(Type.Union([Type.Record(Type.String(), Field), Type.Null()])),
  stateless: Type.Optional(Type.Boolean()),
})

export type Manifest = Static<typeof Manifest>

/** What each key should be, for who got it wrong. */
const SHAPES: Record<keyof Manifest, string> = {
  name: 'a text of 1 to 200 characters on one line',
  description: 'a text of at most 4,000 characters',
  icon: 'a URL of at most 800 characters',
  main: 'the name of a file',
  config: 'a list of fields, or an object from key to field',
  publicJobs: 'an object from name to job',
  stateless: 'true or false',
}

const { config_schema, public_jobs } = contract.components.schemas.PluginWrite.properties
/** The same limits as for a request, because lists of plugins include the manifest. */
const MAX_JSON: Record<string, number> = { config: config_schema['x-max-json'], publicJobs: public_jobs['x-max-json'] }

function demandShort(manifest: object, refuse: (detail: string) => AppError): void {
  for (const [key, value] of Object.entries(manifest))
    if (JSON.stringify(value).length > (MAX_JSON[key] ?? Number.POSITIVE_INFINITY))
      throw refuse(`"${key}" in plugin.json takes more than ${MAX_JSON[key]} characters. Shorten it.`)
}

/** Throws what `refuse` makes of the sentence that says what is wrong. */
export function readManifest(text: string, refuse: (detail: string) => AppError): Manifest {
  let manifest: unknown
  try {
    manifest = replaceInvalidText(JSON.parse(text.replace(/^\ufeff/, '')))
  } catch {
    throw refuse('plugin.json is not valid JSON. Check its quotes, commas and brackets.')
  }
  if (typeof manifest !== 'object' || manifest === null || Array.isArray(manifest))
    throw refuse('plugin.json must hold an object, such as {"name": "My plugin"}.')
  demandShort(manifest, refuse)
  const error = Value.Errors(Manifest, manifest).First()
  if (error) {
    const key = error.path.split('/')[1] as keyof Manifest
    throw refuse(`"${key}" in plugin.json must be ${SHAPES[key]}.`)
  }
  const { stateless, config = [] } = manifest as Manifest
  if (stateless && Object.keys(config).length)
    throw refuse('plugin.json says the plugin is stateless, so it can have no "config". Remove one of them.')
  return manifest as Manifest
}
