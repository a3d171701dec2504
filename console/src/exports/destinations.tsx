/** How destinations are named and shown. The forms come from the contract. */
import { ThemeIcon } from '@mantine/core'
import type { Schemas } from '../api.ts'

type Destination = Schemas['Destination']
export type DestinationType = Schemas['DestinationType']

export const DESTINATIONS: Record<DestinationType, { label: string; short: string; color: string }> = {
  AwsS3: { label: 'Amazon S3', short: 'S3', color: '#c2410c' },
  S3Compatible: { label: 'S3-compatible store', short: 'Sc', color: '#c2410c' },
  S3: { label: 'Amazon S3 or compatible', short: 'S3', color: '#c2410c' },
  AzureBlob: { label: 'Azure Blob Storage', short: 'Az', color: 'blue.9' },
  File: { label: 'Files on the server', short: 'Fs', color: 'teal.9' },
  Postgres: { label: 'PostgreSQL', short: 'Pg', color: 'indigo.9' },
  HTTP: { label: 'HTTP endpoint', short: 'Ht', color: 'grape.9' },
  NoOp: { label: 'Dry run', short: 'Dr', color: 'gray.7' },
  Redshift: { label: 'Amazon Redshift', short: 'Rs', color: 'red.9' },
  ClickHouse: { label: 'ClickHouse', short: 'Ch', color: 'yellow.9' },
  BigQuery: { label: 'Google BigQuery', short: 'BQ', color: 'cyan.9' },
  Snowflake: { label: 'Snowflake', short: 'Sf', color: 'blue.9' },
}

/** Two letters on a colored square. The label is next to it. */
export function DestinationIcon({ type, size = 28 }: { type: DestinationType; size?: number }) {
  const { short, color } = DESTINATIONS[type]
  return (
    <ThemeIcon size={size} color={color} variant="filled" aria-hidden fz={size * 0.38} fw={600}>
      {short}
    </ThemeIcon>
  )
}

const joined = (...parts: (string | undefined)[]): string => parts.filter(Boolean).join('/')

/** Where the events go, short enough for a list. */
export function placeOf({ type, config }: Destination): string {
  switch (type) {
    case 'S3':
    case 'AwsS3':
    case 'S3Compatible':
      return joined(config.bucket_name, config.prefix)
    case 'AzureBlob':
      return joined(config.container_name, config.prefix)
    case 'File':
      return config.prefix || 'The directory of the export'
    case 'Postgres':
    case 'Redshift':
      return `${config.host}/${config.database} ${config.schema ?? 'public'}.${config.table_name ?? 'events'}`
    case 'ClickHouse':
      return `${config.url.replace(/^https?:\/\//, '')} ${config.database ?? 'default'}.${config.table_name ?? 'events'}`
    case 'BigQuery':
      return `${config.project_id} ${config.dataset_id}.${config.table_id ?? 'events'}`
    case 'Snowflake':
      return `${config.account} ${config.database}.${config.schema}.${config.table_name ?? 'events'}`
    case 'HTTP':
      return config.url.replace(/^https?:\/\//, '')
    case 'NoOp':
      return 'Counts events, delivers nothing'
  }
}
