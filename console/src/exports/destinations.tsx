/** How destinations are named and shown. */
import { ThemeIcon } from '@mantine/core'
import type { Schemas } from '../api.ts'
import { PICTURES } from './pictures.tsx'

type Destination = Schemas['Destination']
export type DestinationType = Schemas['DestinationType']

interface DestinationText {
  label: string
  description: string
  picture: keyof typeof PICTURES
  color: string
  /** Whether it takes events only, with their default columns. */
  isEventsOnly?: true
}

export const DESTINATIONS: Record<DestinationType, DestinationText> = {
  AwsS3: {
    label: 'Amazon S3',
    description: 'Files in a bucket on Amazon S3.',
    picture: 'bucket',
    color: '#c2410c',
  },
  S3Compatible: {
    label: 'S3-compatible store',
    description: 'Files in a bucket on a store with the API of Amazon S3.',
    picture: 'bucket',
    color: '#c2410c',
  },
  S3: {
    label: 'Amazon S3 or compatible',
    description: 'Files in a bucket on Amazon S3 or a compatible store.',
    picture: 'bucket',
    color: '#c2410c',
  },
  AzureBlob: {
    label: 'Azure Blob Storage',
    description: 'Files in a container of a storage account.',
    picture: 'container',
    color: 'blue.9',
  },
  File: {
    label: 'Files on the server',
    description: 'Files in a directory on the machine of this server.',
    picture: 'folder',
    color: 'teal.9',
  },
  Postgres: {
    label: 'PostgreSQL',
    description: 'Rows in a table of a PostgreSQL database.',
    picture: 'database',
    color: 'indigo.9',
  },
  Redshift: {
    label: 'Amazon Redshift',
    description: 'Rows in a table of a Redshift cluster or workgroup.',
    picture: 'warehouse',
    color: 'red.9',
  },
  ClickHouse: {
    label: 'ClickHouse',
    description: 'Rows in a table of a ClickHouse server or service.',
    picture: 'columns',
    color: 'yellow.9',
  },
  BigQuery: {
    label: 'Google BigQuery',
    description: 'Rows in a table of a BigQuery dataset.',
    picture: 'cloud',
    color: 'cyan.9',
  },
  Snowflake: {
    label: 'Snowflake',
    description: 'Rows in a table of a Snowflake database.',
    picture: 'layers',
    color: 'blue.9',
  },
  HTTP: {
    label: 'HTTP endpoint',
    description: 'Batches of events for another server with the same capture API.',
    picture: 'endpoint',
    color: 'grape.9',
    isEventsOnly: true,
  },
  NoOp: {
    label: 'Dry run',
    description: 'Reads and counts rows, and delivers nothing. For trying a schedule or a query.',
    picture: 'check',
    color: 'gray.7',
  },
}

/** A picture on a colored square. The label is next to it. */
export function DestinationIcon({ type, size = 28 }: { type: DestinationType; size?: number }) {
  const { picture, color } = DESTINATIONS[type]
  const Picture = PICTURES[picture]
  return (
    <ThemeIcon size={size} color={color} variant="filled" c="white" aria-hidden>
      <Picture size={size * 0.68} />
    </ThemeIcon>
  )
}

const joined = (...parts: (string | undefined)[]): string => parts.filter(Boolean).join('/')

/** Where the rows go, short enough for a list. */
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
