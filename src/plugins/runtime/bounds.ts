/** The bounds of a call in a VM: its CPU time and its end. */
import type { PluginError } from './messages.ts'

/** Host calls between two checks of the clock. */
const CALLS_PER_CHECK = 100

export type StopReason = NonNullable<PluginError['stopped']>

export interface Bounds {
  /** Set once, when a bound is exceeded. */
  stopped: StopReason | undefined
  cpu_limit_us: number
  until: number
  /** Undefined until the first check after `setBounds`: reading the CPU time of each event would take longer than most calls. */
  cpu_start_us: number | undefined
  host_calls: number
}

export const createBounds = (cpu_ms: number, until: number): Bounds => ({
  stopped: undefined,
  cpu_limit_us: cpu_ms * 1000,
  until,
  cpu_start_us: undefined,
  host_calls: 0,
})

/** Starts a new measurement. */
export function setBounds(bounds: Bounds, cpu_ms: number, until: number): void {
  bounds.cpu_limit_us = cpu_ms * 1000
  bounds.until = until
  bounds.cpu_start_us = undefined
}

function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** Whether the call may go on. */
export function checkTime(bounds: Bounds): boolean {
  bounds.cpu_start_us ??= cpuTime()
  if (performance.now() > bounds.until || cpuTime() - bounds.cpu_start_us > bounds.cpu_limit_us)
    bounds.stopped ??= 'timeout'
  return bounds.stopped === undefined
}

/** QuickJS checks the time every 10,000 steps. Calls of the host take much longer than a step. */
export function checkHostCall(bounds: Bounds): boolean {
  if (++bounds.host_calls % CALLS_PER_CHECK === 0) return checkTime(bounds)
  return bounds.stopped === undefined
}
