/** Detects that the process that started this one is gone. */
import { readFileSync } from 'node:fs'
import type { Variables } from '../config.ts'

const POLL_MS = 250

interface Ancestor {
  pid: number
  /** The name of the program. npm sets its own to `npm exec …`, `npm start` and so on. */
  name: string
  parent: number
}

/** Reads `/proc`. Undefined on systems without it, and for a process that is gone. */
function ancestor(pid: number): Ancestor | undefined {
  try {
    const [, name = '', parent] = /^\d+ \((.*)\) \S (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? []
    return { pid, name, parent: Number(parent) }
  } catch {
    return undefined
  }
}

/** npm, and the shell in which it runs a command. Empty if npm has not started this process. */
function npmAncestors({ npm_command }: Variables): Ancestor[] {
  const parent = npm_command === undefined ? undefined : ancestor(process.ppid)
  if (!parent) return []
  if (parent.name.startsWith('npm')) return [parent]
  const npm = /^(sh|dash|bash|ash|busybox|zsh)$/.test(parent.name) ? ancestor(parent.parent) : undefined
  return npm?.name.startsWith('npm') ? [parent, npm] : []
}

/**
 * Remembers the parent process. The returned function calls `end` once a process that this one depends on has exited. A
 * killed process cannot notify its children, but they get another parent.
 *
 * npm runs a command in a shell and forwards signals only to the shell, so the server depends on npm and the shell. An
 * ephemeral server depends on any parent, and on the process that called npm.
 */
export function watchParents(variables: Variables, ephemeral: boolean): (end: () => void) => void {
  const parent = process.ppid
  const chain = npmAncestors(variables)
  // The parent of npm itself counts only for an ephemeral server.
  const links = ephemeral ? chain : chain.slice(0, -1)
  const isWatched = ephemeral || chain.length > 0
  const isGone = (): boolean =>
    process.ppid !== parent || links.some(({ pid, parent }) => ancestor(pid)?.parent !== parent)
  return (end) => {
    if (!isWatched) return
    const timer = setInterval(() => {
      if (!isGone()) return
      clearInterval(timer)
      end()
    }, POLL_MS).unref()
  }
}
