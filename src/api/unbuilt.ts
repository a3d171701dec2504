import type { OperationId } from '../contract/operations.ts'

/** Operations that are in the contract and not built yet. They answer 501. This table only shrinks. */
export const UNBUILT = [] as const satisfies OperationId[]
