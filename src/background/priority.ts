import { getPriority, setPriority } from 'node:os'

/**
 * Lowers the CPU priority of this process to `niceness`, unless it is lower already: the server may run under `nice`
 * itself, and only root may raise a priority.
 */
export function lowerPriority(niceness: number): void {
  if (getPriority() < niceness) setPriority(niceness)
}
