import { readFileSync } from 'node:fs'

/** The clock tick of Linux in /proc, on every architecture. */
const TICK_MS = 10

/** The CPU time of a process in milliseconds. Undefined where the system does not tell, and when the process is gone. */
export function cpuTimeOf(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program is in parentheses and may contain blanks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  } catch {
    return undefined
  }
}
