/** The supported destinations. Their libraries are large, so each is loaded on first use. */
import type { Destination, DestinationConfig, DestinationType } from './destination.ts'
import { requireLibraries } from './libraries.ts'

interface Entry {
  /** The libraries that operators install for it. */
  libraries?: Parameters<typeof requireLibraries>[2]
  load(): Promise<Destination<DestinationConfig>>
}

const AWS: Entry['libraries'] = ['@aws-sdk/client-s3', '@aws-sdk/lib-storage']

const DESTINATIONS: Partial<Record<DestinationType, Entry>> = {
  AwsS3: { libraries: AWS, load: async () => (await import('./destinations/s3.ts')).awsS3 },
  AzureBlob: {
    libraries: ['@azure/storage-blob'],
    load: async () => (await import('./destinations/azure.ts')).loadAzure(),
  },
  ClickHouse: { load: async () => (await import('./destinations/clickhouse.ts')).clickhouse },
  File: { load: async () => (await import('./destinations/file.ts')).file },
  HTTP: { load: async () => (await import('./destinations/http.ts')).http },
  NoOp: { load: async () => (await import('./destinations/noop.ts')).noop },
  Postgres: { load: async () => (await import('./destinations/postgres.ts')).postgres },
  Redshift: { load: async () => (await import('./destinations/redshift.ts')).redshift },
  S3: { libraries: AWS, load: async () => (await import('./destinations/s3.ts')).s3 },
  S3Compatible: { libraries: AWS, load: async () => (await import('./destinations/s3.ts')).s3Compatible },
}

export const SUPPORTED_TYPES = Object.keys(DESTINATIONS)

/**
 * Undefined for a type that the contract describes but that is not implemented. Throws `destination_library_missing`;
 * `attr` names the field with the type.
 */
export async function findDestination(
  type: DestinationType,
  attr = 'destination__type',
): Promise<Destination<DestinationConfig> | undefined> {
  const entry = DESTINATIONS[type]
  if (entry?.libraries) requireLibraries(type, attr, entry.libraries)
  return entry?.load()
}

export async function loadDestination(type: DestinationType): Promise<Destination<DestinationConfig>> {
  const destination = await findDestination(type)
  if (!destination) throw new Error(`destination type ${type} is not supported`)
  return destination
}
