/** The destinations to choose from, and the providers of stores with the API of Amazon S3. */
import { DESTINATIONS, type DestinationType } from './destinations.tsx'

interface Tile {
  type: DestinationType
  label: string
  description: string
  /** More words that find the tile. */
  words: string
}

const tile = (type: DestinationType, words: string, text: Partial<Tile> = {}): Tile => ({
  type,
  label: DESTINATIONS[type].label,
  description: DESTINATIONS[type].description,
  words,
  ...text,
})

export interface Provider {
  label: string
  type: DestinationType
  /** Examples for the settings of this provider. */
  examples: Record<string, string>
}

export const PROVIDERS: Record<string, Provider> = {
  amazon: { label: 'Amazon S3', type: 'AwsS3', examples: {} },
  backblaze: {
    label: 'Backblaze B2',
    type: 'S3Compatible',
    examples: { endpoint_url: 'https://s3.eu-central-003.backblazeb2.com', region: 'eu-central-003' },
  },
  cloudflare: {
    label: 'Cloudflare R2',
    type: 'S3Compatible',
    examples: { endpoint_url: 'https://<account id>.r2.cloudflarestorage.com', region: 'auto' },
  },
  digitalocean: {
    label: 'DigitalOcean Spaces',
    type: 'S3Compatible',
    examples: { endpoint_url: 'https://fra1.digitaloceanspaces.com', region: 'us-east-1' },
  },
  google: {
    label: 'Google Cloud Storage',
    type: 'S3Compatible',
    examples: { endpoint_url: 'https://storage.googleapis.com', region: 'auto' },
  },
  minio: {
    label: 'MinIO',
    type: 'S3Compatible',
    examples: { endpoint_url: 'https://minio.example.com:9000', region: 'us-east-1' },
  },
  other: { label: 'Another S3-compatible store', type: 'S3Compatible', examples: {} },
}

/** The chosen provider, or the one that stands for the type. Undefined for a type without providers. */
export function providerOf(type: DestinationType, chosen: string | undefined): string | undefined {
  const names = Object.keys(PROVIDERS).filter((name) => PROVIDERS[name]?.type === type)
  return names.find((name) => name === chosen) ?? names.at(-1)
}

export const TILES: { title: string; tiles: Tile[] }[] = [
  {
    title: 'Files and buckets',
    tiles: [
      tile(
        'AwsS3',
        Object.values(PROVIDERS)
          .map(({ label }) => label)
          .join(' '),
        {
          label: 'Amazon S3 and compatible',
          description: 'Files in a bucket: Amazon S3, Cloudflare R2, Google Cloud Storage, MinIO and others.',
        },
      ),
      tile('AzureBlob', 'microsoft container'),
      tile('File', 'directory disk local json parquet'),
    ],
  },
  {
    title: 'Databases and warehouses',
    tiles: [
      tile('Postgres', 'sql database postgres aurora timescale neon supabase'),
      tile('Redshift', 'sql warehouse aws'),
      tile('ClickHouse', 'sql warehouse'),
      tile('BigQuery', 'sql warehouse gcp'),
      tile('Snowflake', 'sql warehouse'),
    ],
  },
  {
    title: 'Servers and tests',
    tiles: [tile('HTTP', 'webhook posthog url'), tile('NoOp', 'test nothing noop')],
  },
]

/** The groups with the tiles that contain all words of the text. */
export function findTiles(text: string): typeof TILES {
  const words = text.toLowerCase().split(/\s+/)
  const matches = ({ label, description, words: more }: Tile): boolean => {
    const searched = `${label} ${description} ${more}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  }
  return TILES.flatMap(({ title, tiles }) => {
    const found = tiles.filter(matches)
    return found.length ? [{ title, tiles: found }] : []
  })
}
