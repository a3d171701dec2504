/** The supported destinations. Their libraries are large, so each is loaded on first use. */
import type { Destination, DestinationConfig, DestinationType } from './destination.ts'

const LOADERS: Partial<Record<DestinationType, () => Promise<Destination<DestinationConfig>>>> = {
  AzureBlob: async () => (await import('./destinations/azure.ts')).azure,
  BigQuery: async () => (await import('./destinations/bigquery.ts')).bigquery,
  File: async () => (await import('./destinations/file.ts')).file,
  HTTP: async () => (await import('./destinations/http.ts')).http,
  NoOp: async () => (await import('./destinations/noop.ts')).noop,
  Postgres: async () => (await import('./destinations/postgres.ts')).postgres,
  S3: async () => (await import('./destinations/s3.ts')).s3,
  Snowflake: async () => (await import('./destinations/snowflake.ts')).snowflake,
}

export const SUPPORTED_TYPES = Object.keys(LOADERS)

/** Undefined for a type that the contract describes but that is not implemented. */
export const findDestination = async (type: DestinationType): Promise<Destination<DestinationConfig> | undefined> =>
  LOADERS[type]?.()

export async function loadDestination(type: DestinationType): Promise<Destination<DestinationConfig>> {
  const destination = await findDestination(type)
  if (!destination) throw new Error(`destination type ${type} is not supported`)
  return destination
}
