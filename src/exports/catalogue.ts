/** The destinations we can deliver to. Their libraries are large, so each is loaded on first use. */
import type { Destination, DestinationType } from './destination.ts'

type Load = () => Promise<Destination<any>>

const SERVED: Partial<Record<DestinationType, Load>> = {
  AzureBlob: async () => (await import('./destinations/azure.ts')).azure,
  File: async () => (await import('./destinations/file.ts')).file,
  HTTP: async () => (await import('./destinations/http.ts')).http,
  NoOp: async () => (await import('./destinations/noop.ts')).noop,
  Postgres: async () => (await import('./destinations/postgres.ts')).postgres,
  S3: async () => (await import('./destinations/s3.ts')).s3,
}

export const SERVED_TYPES = Object.keys(SERVED)

/** Undefined for a type that the contract describes but that is not implemented. */
export const destinationOf = (type: DestinationType): Promise<Destination<any>> | undefined => SERVED[type]?.()
