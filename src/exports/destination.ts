/**
 * The interface of a destination. Each type is one file in `destinations/` and a line in `catalog.ts`; the contract has
 * its config schema as `<type>Config`.
 */
import { type Static, Type } from '@sinclair/typebox'
import type { components } from '../contract/openapi.ts'
import type { Page } from '../events/extract.ts'
import type { Column, Encoding } from '../events/lines.ts'
import type { Model } from '../events/models.ts'
import type { Outbound } from '../outbound/guard.ts'

type Schemas = components['schemas']
export type DestinationType = Schemas['DestinationType']
/** The config of any type, validated against the contract when it is saved. */
export type DestinationConfig = Record<string, unknown>
export type TestStep = Schemas['DestinationTest']['steps'][number]

const StoredCursor = Type.Tuple([Type.Number(), Type.Union([Type.Number(), Type.String()])])

/** Where the next attempt continues, and the files and events delivered so far. An older release may have written it. */
export const Checkpoint = Type.Object({
  /** Null for the start of the range. */
  cursor: Type.Union([StoredCursor, Type.Null()]),
  records: Type.Number(),
  bytes: Type.Number(),
  /** The size of the next page. A repeated attempt reads the same pages and writes the same files. */
  page_rows: Type.Optional(Type.Number()),
  /** Finished files, in order. */
  files: Type.Optional(Type.Array(Type.String())),
  /** Accepted requests. */
  posts: Type.Optional(Type.Number()),
  /** Events delivered after the cursor, which marks the end of a page. */
  beyond: Type.Optional(Type.Number()),
  /** The end of a part whose commit has begun. The next attempt reads the same part: the events from the cursor to here. */
  through: Type.Optional(StoredCursor),
  /** Whether this run merges its rows with those of earlier runs. */
  merged: Type.Optional(Type.Boolean()),
})
export type Checkpoint = Static<typeof Checkpoint>

/** One attempt at a run, as its destination sees it. */
export interface Delivery<Config> {
  config: Config
  /** The same in every attempt. */
  run_id: string
  attempt: number
  project_id: number
  batch_export_id: string
  /** Identifies the range. Destinations use it to detect a repeated delivery. */
  range_key: string
  /** Null for scheduled runs. */
  backfill_id: string | null
  /** ISO 8601. */
  data_interval_start: string
  data_interval_end: string
  model: Model
  columns: readonly Column[]
  /** For rows that replace earlier ones with the same key and a lower version. Null for events, which never change. */
  merge: Merge | null
  checkpoint: Checkpoint | null
  /** Whether an earlier attempt or run may have delivered rows of this range. False if absent. */
  repeated?: boolean
  tools: Tools
}

/** Names of columns. */
export interface Merge {
  key: readonly string[]
  version: string
}

export interface Tools {
  outbound: Outbound
  /** The root folder of File exports. */
  files_root: string
  /** Replaces the public endpoints of Amazon S3. */
  s3_endpoint?: string | undefined
  /** A scratch folder. The caller deletes it. */
  scratch: string
  /** Aborted when the attempt must end. Rethrow its reason. */
  signal: AbortSignal
  /**
   * Stores the point where the next attempt continues. Await it before the next object becomes visible. At most one
   * object is then missing from the checkpoint, and the next attempt replaces it.
   */
  checkpoint(state: Checkpoint): Promise<void>
  log(level: 'DEBUG' | 'INFO' | 'WARNING', message: string): void
}

/** Receives the events of one run. */
export interface Receiver {
  /** Takes over the page: its text may be freed. */
  write(page: Page): Promise<void>
  /** The number of bytes written so far, an estimate for Parquet. */
  bytes(): number
  /** Resolves once everything is durable. Returns the number of bytes written. */
  commit(): Promise<number>
  /** Removes partial output where possible. Never throws. */
  abort(): Promise<void>
}

export interface Destination<Config> {
  /** The columns of events that are delivered without a query. */
  columns: readonly Column[]
  /** Whether it accepts events only, and no other models. */
  eventsOnly?: boolean
  /** Whether a HogQL query may choose the columns. */
  supportsQuery: boolean
  encoding(config: Config): Encoding
  /**
   * Checks constraints that the schema cannot express. Throws AppError with attr `destination__config__<key>`. The config of
   * an integration has only the keys of `<Type>Credentials`.
   */
  validate(config: Config): void
  /** The bucket that a config accesses with the role of the server's machine; null if it has its own credentials. */
  roleBucket?(config: Config): string | null
  /** The hosts of a config, checked when it is saved, also for an integration. */
  hosts?(config: Config): { host: string; port: number }[]
  open(delivery: Delivery<Config>): Promise<Receiver>
  /** The names of the steps of `test`, in order. */
  steps: readonly string[]
  /** Connects, writes and deletes. Yields the detail of each step that passed and throws at the first that fails. */
  test(config: Config, tools: Tools): AsyncGenerator<string>
}

/** Undefined if the config does not use the role of the machine, or may use it. */
export function describeRoleRefusal(
  destination: Destination<DestinationConfig>,
  config: DestinationConfig,
  role_buckets: readonly string[],
): string | undefined {
  const bucket = destination.roleBucket?.(config) ?? null
  if (bucket === null || role_buckets.includes(bucket)) return undefined
  return `The operator does not allow the role of the server for the bucket "${bucket}". Send an access key, or ask the operator to list the bucket in S3_ROLE_BUCKETS.`
}

export interface DeliveryErrorOptions {
  retryable: boolean
  /** The peer's `Retry-After`. */
  retry_after_seconds?: number
  /** The key of the config that the message asks to check. The first one if there are several. */
  setting?: string
}

/** Why a delivery failed, without any text of the peer. Errors of other classes are retried. */
export class DeliveryError extends Error {
  constructor(
    message: string,
    readonly options: DeliveryErrorOptions,
  ) {
    super(message)
  }
}

/** Every attempt fails until the cause is fixed. */
export const permanentError = (message: string, setting?: string): DeliveryError =>
  new DeliveryError(message, { retryable: false, ...(setting !== undefined && { setting }) })

export const retryableError = (message: string, retry_after_seconds?: number): DeliveryError =>
  new DeliveryError(message, { retryable: true, ...(retry_after_seconds !== undefined && { retry_after_seconds }) })
