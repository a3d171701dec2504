/**
 * What a destination is. A new kind is one file in `destinations/` and its line in `catalogue.ts`; its config schema is in
 * the contract as `<type>Config`.
 */
import type { components } from '../contract/openapi.ts'
import type { Column, Cursor, Encoding, Page } from '../events/extract.ts'
import type { Outbound } from '../outbound/guard.ts'

type Schemas = components['schemas']
export type DestinationType = Schemas['DestinationType']
export type TestStep = Schemas['DestinationTest']['steps'][number]

/** The state of the last attempt: where to continue, what was delivered, and details of the destination. */
export interface Checkpoint {
  cursor: Cursor
  records: number
  bytes: number
  /** The size of the next page. A repeated attempt reads the same pages and writes the same files. */
  page_rows?: number
  /** Finished files, in order. */
  files?: string[]
  /** Requests that succeeded. */
  posts?: number
  /** Events delivered after the cursor, which marks the end of a page. */
  beyond?: number
}

/** A run as its destination sees it. */
export interface Delivery<Config> {
  config: Config
  /** The same for every attempt. */
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
  columns: readonly Column[]
  checkpoint: Checkpoint | null
  tools: Tools
}

export interface Tools {
  outbound: Outbound
  /** The root folder of File exports. */
  files_root: string
  /** A scratch folder. The caller empties it. */
  scratch: string
  /** Aborted when the run must end. Rethrow its reason. */
  signal: AbortSignal
  /**
   * The point where another attempt continues. Await it before the next object becomes visible, so that at most one
   * object is missing from the checkpoint; the next attempt replaces that one.
   */
  checkpoint(state: Checkpoint): Promise<void>
  log(level: 'DEBUG' | 'INFO' | 'WARNING', message: string): void
}

/** Receives the events of one run. */
export interface Receiver {
  write(page: Page): Promise<void>
  /** Resolves once everything is durable. Returns the number of bytes written. */
  commit(): Promise<number>
  /** Removes partial output where possible. Never throws. */
  abort(): Promise<void>
}

export interface Destination<Config> {
  /** The columns it receives without a query. */
  columns: readonly Column[]
  /** Whether a HogQL query may choose the columns. */
  takesQuery: boolean
  encoding: Encoding | ((config: Config) => Encoding)
  /** Checks that the schema cannot express. Throws AppError with attr `destination__config__<key>`. */
  check(config: Config): void
  /** The hosts of a config, checked when it is saved. */
  hosts?(config: Config): { host: string; port: number }[]
  open(delivery: Delivery<Config>): Promise<Receiver>
  /** Connects, writes and deletes, one step each. Stops at the first step that throws. */
  test(config: Config, tools: Tools): AsyncGenerator<Pick<TestStep, 'name' | 'detail'>>
  /** The names of the steps of `test`, in order. Steps after a failure are reported as skipped. */
  steps: readonly string[]
}

/**
 * Why a delivery failed, without any text of the peer. `retry_after_seconds` is set when the peer
 * asked for a pause. Any other error is retried.
 */
export class DeliveryError extends Error {
  constructor(
    message: string,
    readonly options: { retryable: boolean; retry_after_seconds?: number },
  ) {
    super(message)
  }
}

/** The attempt would fail again until the cause is fixed. */
export const refused = (message: string): DeliveryError => new DeliveryError(message, { retryable: false })

export const unreachable = (message: string, retry_after_seconds?: number): DeliveryError =>
  new DeliveryError(message, { retryable: true, ...(retry_after_seconds !== undefined && { retry_after_seconds }) })
