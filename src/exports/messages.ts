import type { DeliveryJob, DeliveryResult, Report } from './deliver.ts'
import type { Checkpoint, DestinationType, TestStep } from './destination.ts'

/** Messages to a delivery process, which runs one task at a time. */
export type DeliveryRequest =
  | { kind: 'deliver'; job: DeliveryJob }
  | { kind: 'test'; destination: DestinationTest }
  /** The checkpoint is stored. */
  | { kind: 'stored' }
  | { kind: 'abort' }

export interface DestinationTest {
  type: DestinationType
  config: Record<string, unknown>
  files_root: string
  outbound_allow: string | undefined
  s3_endpoint?: string | undefined
}

/** Messages from a delivery process. */
export type DeliveryReply =
  | { kind: 'report'; report: Report }
  | { kind: 'checkpoint'; checkpoint: Checkpoint }
  | { kind: 'delivered'; delivered: DeliveryResult }
  | { kind: 'tested'; steps: TestStep[] }
  | DeliveryFailure

export interface DeliveryFailure {
  kind: 'failed'
  message: string
  retryable: boolean
  retry_after_seconds?: number
  cause: string
}
