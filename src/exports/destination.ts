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

/** What happened last time: where to go on, what was delivered by then, and whatever else the destination needs to know. */
export interface Checkpoint {
  cursor: Cursor
  records: number
  bytes: number
  /** How many events the next page asks for: pages end where they would have, and so do the files made of them. */
  page_rows?: number
  /** The finished files, in order. */
  files?: string[]
  /** How many requests were answered. */
  posts?: number
  /** How many events after the cursor, which stands at the end of a page, were delivered too. */
  beyond?: number
}

/** What one run delivers, as its destination sees it. */
export interface Delivery<Config> {
  config: Config
  /** The run that does it; another attempt has the same one. */
  run_id: string
  attempt: number
  project_id: number
  batch_export_id: string
  /** Names the range, the same for every run that delivers it: what a destination tells a repeat by. */
  range_key: string
  /** Null where the run is scheduled. */
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
  /** The folder that File exports are written under. */
  files_root: string
  /** A folder for what is made on the way; emptied by whoever gave it. */
  scratch: string
  /** Aborted when the run is to end: throw what it throws. */
  signal: AbortSignal
  /**
   * From here another attempt goes on. Await it before the next thing becomes visible: then at most one thing is there
   * that no checkpoint knows, and the next attempt replaces that one.
   */
  checkpoint(state: Checkpoint): Promise<void>
  log(level: 'DEBUG' | 'INFO' | 'WARNING', message: string): void
}

/** The receiving end of one run. */
export interface Receiver {
  write(page: Page): Promise<void>
  /** Everything is there for good when this resolves; answers the bytes that were sent or written in all. */
  commit(): Promise<number>
  /** Leaves nothing half-done behind, where it can. Never throws. */
  abort(): Promise<void>
}

export interface Destination<Config> {
  /** What it takes where no query says otherwise. */
  columns: readonly Column[]
  /** Whether a query of the caller's own may decide the columns. */
  takesQuery: boolean
  encoding: Encoding | ((config: Config) => Encoding)
  /** What the schema cannot say of a config; throws AppError with attr `destination__config__<key>`. */
  check(config: Config): void
  /** The hosts that a config names, for an early word when it is written. */
  hosts?(config: Config): { host: string; port: number }[]
  open(delivery: Delivery<Config>): Promise<Receiver>
  /** Reachable, may write, may remove again: each a step, until one throws. */
  test(config: Config, tools: Tools): AsyncGenerator<Pick<TestStep, 'name' | 'detail'>>
  /** The names of the steps of `test`, in order, so that those after a failure can be called skipped. */
  steps: readonly string[]
}

/**
 * Why a delivery failed, in our own words: what the other side said is never part of it. `retry_after_seconds` where the
 * other side asked for a pause. Anything else that is thrown counts as worth another try.
 */
export class DeliveryError extends Error {
  constructor(
    message: string,
    readonly options: { retryable: boolean; retry_after_seconds?: number },
  ) {
    super(message)
  }
}

/** The same attempt would fail again until somebody mends the cause. */
export const refused = (message: string): DeliveryError => new DeliveryError(message, { retryable: false })

export const unreachable = (message: string, retry_after_seconds?: number): DeliveryError =>
  new DeliveryError(message, { retryable: true, ...(retry_after_seconds !== undefined && { retry_after_seconds }) })
