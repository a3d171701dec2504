/** Names this process so that another process of the same machine can tell whether it still runs. */
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { errorCode } from '../errors.ts'

/** The fields of `/proc/<pid>/stat` after the name, which is in parentheses and may contain spaces. */
const STATE = 0
const START_TIME = 19
const ENDED = ['Z', 'X']

/**
 * `<machine>/<pid>/<start>`. The machine is the boot and the PID namespace: containers with the same host name have
 * different ones. The start time distinguishes a process that reuses the PID. Null where `/proc` does not tell.
 */
export function processIdentity(): string | null {
  try {
    // Another value means that /proc shows the processes of another namespace.
    if (readlinkSync('/proc/self') !== String(process.pid)) return null
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]
    const start = statOf(process.pid)?.[START_TIME]
    if (!boot || !namespace || !start) return null
    return [`${hostname()} ${boot} ${namespace}`, process.pid, start].join('/')
  } catch {
    return null
  }
}

/** Whether that process of this machine has ended. False if it runs on another machine or nothing is known about it. */
export function hasEnded(identity: string, own = processIdentity()): boolean {
  const [machine, pid, start] = identity.split('/')
  if (own === null || !start || machine !== own.split('/')[0]) return false
  try {
    process.kill(Number(pid), 0)
  } catch (error) {
    // EPERM: a process with this PID runs as another user.
    if (errorCode(error) === 'ESRCH') return true
  }
  const stat = statOf(Number(pid))
  return stat !== undefined && (stat[START_TIME] !== start || ENDED.includes(stat[STATE] ?? ''))
}

/** Undefined if it cannot be read. */
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
