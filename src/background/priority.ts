import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { getPriority, setPriority } from 'node:os'

/**
 * Lowers the CPU priority of a process (this one by default) to `niceness`, unless it is lower already: the server may
 * run under `nice` itself, and only root may raise a priority.
 */
export function lowerPriority(niceness: number, pid = 0): void {
  if (getPriority(pid) < niceness) setPriority(pid, niceness)
}

/**
 * Linux: lowers the priority of the main thread below that of the thread pool. Elsewhere all threads of a process have one
 * priority. Call it before the thread pool is used: a thread starts with the priority of the thread that creates it.
 */
export async function preferThreadPool({ main, pool }: { main: number; pool: number }): Promise<void> {
  lowerPriority(pool)
  // The first use of the thread pool creates its threads.
  await stat('/')
  lowerPriority(main)
}

/**
 * Linux: the process runs only while a CPU has nothing else to do, and any other process interrupts it. A niceness of 19
 * lets it finish its time slice of up to 3 ms first. Without the program `chrt` its priority does not change.
 */
export function runOnIdleCpu(pid: number): void {
  execFile('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)], () => undefined)
}
