import { getPriority, setPriority } from 'node:os'

/**
 * Lowers the CPU priority of a process (this one by default) to `niceness`, unless it is lower already: the server may
 * run under `nice` itself, and only root may raise a priority.
 */
export function lowerPriority(niceness: number, pid = 0): void {
  if (getPriority(pid) < niceness) setPriority(pid, niceness)
}
