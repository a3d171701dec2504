/** Detects that the process that started this one is gone. */
import { readFileSync } from 'node:fs'
import type { Variables } from '../config.ts'

const POLL_MS = 500
/** npm runs a command in a shell, so npm is the parent or the grandparent. */
const MAX_ANCESTORS = 3

interface Ancestor {
  pid: number
  /** The name of the program. npm sets its own to `npm exec …` or `npm run …`. */
  name: string
  parent: number
}

/** Reads `/proc`. Undefined on systems without it. */
function ancestor(pid: number): Ancestor | undefined {
  try {
    const [, name = '', parent] = /^\d+ \((.*)\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? []
    return { pid, name, parent: Number(parent) }
  } catch {
    return undefined
  }
}

/** The shell and npm between this process and the process that called npm. */
function npmAncestors(): Ancestor[] {
  const found: Ancestor[] = []
  for (let pid = process.ppid; found.length < MAX_ANCESTORS; ) {
    const next = ancestor(pid)
    if (!next) return []
    found.push(next)
    if (next.name.startsWith('npm')) return found
    pid = next.parent
  }
  return []
}

/**
 * Remembers the parent process. The returned function calls `end` once when the parent is gone, also when it was killed: its
 * children then get another parent. Under npm, npm and the process that called npm count as well.
 */
export function watchParent(variables: Variables): (end: () => void) => void {
  const parent = process.ppid
  const ancestors = variables.npm_command === undefined ? [] : npmAncestors()
  const isOrphan = (): boolean =>
    process.ppid !== parent || ancestors.some(({ pid, parent }) => ancestor(pid)?.parent !== parent)
  return (end) => {
    const timer = setInterval(() => {
      if (!isOrphan()) return
      clearInterval(timer)
      end()
    }, POLL_MS).unref()
  }
}
