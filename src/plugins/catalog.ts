/** The plugin catalog that ships with the server. `npm run catalog` updates it. */
import { type Static, Type } from '@sinclair/typebox'
import entries from './catalog.json' with { type: 'json' }

export const CatalogEntry = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    url: Type.String({ pattern: '^https://', maxLength: 800 }),
    description: Type.String({ maxLength: 1000 }),
    icon: Type.Optional(Type.String({ pattern: '^https://', maxLength: 800 })),
    verified: Type.Boolean(),
    maintainer: Type.Union([Type.Literal('official'), Type.Literal('community')]),
    type: Type.Union([
      Type.Literal('data_in'),
      Type.Literal('data_out'),
      Type.Literal('ingestion_filtering'),
      Type.Literal('site'),
    ]),
  },
  { additionalProperties: false },
)

export type CatalogEntry = Static<typeof CatalogEntry>

export const catalog = entries as CatalogEntry[]
