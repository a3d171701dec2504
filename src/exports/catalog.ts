/** The supported destinations. Their libraries are large, so each is loaded on first use. */
import type { Destination, DestinationConfig, DestinationType } from './destination.ts'
import { requireLibraries } from './libraries.ts'

interface Entry {
  /** The libraries that operators install for it. */
  libraries?: Parameters<typeof requireLibraries>[2]
  load(): Promise<Destination<DestinationConfig>>
}

const AWS: Entry['libraries'] = ['@aws-sdk/client-s3']

const DESTINATIONS: Record<DestinationType, Entry> = {
  AwsS3: { libraries: AWS, load: async () => (await import('./destinations/s3.ts')).awsS3 },
  AzureBlob: {
    libraries: ['@azure/storage-blob'],
    load: async () => (await import('./destinations/azure.ts')).azure,
  },
  BigQuery: {
    libraries: ['@duckdb/node-api'],
    load: async () => (await import('./destinations/bigquery.ts')).bigquery,
  },
  ClickHouse: { load: async () => (await import('./destinations/clickhouse.ts')).clickhouse },
  File: { load: async () => (await import('./destinations/file.ts')).file },
  HTTP: { load: async () => (await import('./destinations/http.ts')).http },
  NoOp: { load: async () => (await import('./destinations/noop.ts')).noop },
  Postgres: { load: async () => (await import('./destinations/postgres.ts')).postgres },
  Redshift: { load: async () => (await import('./destinations/redshift.ts')).redshift },
  S3: { libraries: AWS, load: async () => (await import('./destinations/s3.ts')).s3 },
  S3Compatible: { libraries: AWS, load: async () => (await import('./destinations/s3.ts')).s3Compatible },
  Snowflake: { load: async () => (await import('./destinations/snowflake.ts')).snowflake },
}

export const DESTINATION_TYPES = Object.keys(DESTINATIONS)

/** Throws `destination_library_missing`; `attr` names the field with the type. */
export async function loadDestination(
  type: DestinationType,
  attr = 'destination__type',
): Promise<Destination<DestinationConfig>> {
  const { libraries, load } = DESTINATIONS[type]
  if (libraries) requireLibraries(type, attr, libraries)
  return load()
}
