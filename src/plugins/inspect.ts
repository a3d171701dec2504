import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { unavailable } from '../errors.ts'
import type { Inspection } from './code.ts'

export type { Capabilities, Inspection } from './code.ts'

const DEADLINE_MS = 5000
const MEMORY_MB = 192
const IDLE_MS = 10_000
const MAX_AT_ONCE = 2
const MAX_WAITING = 20

/** Beside this file when built; from the sources it runs under their loader. */
const fromSources = import.meta.url.endsWith('.ts')
const PROGRAM = fileURLToPath(new URL(`./inspector-process.${fromSources ? 'ts' : 'js'}`, import.meta.url))

let running = 0
const waiting: (() => void)[] = []

/** What the code offers and what is wrong with it. Code that takes too long to read has that as its error. */
export async function inspect(files: Record<string, string>): Promise<Inspection> {
  const code = Object.fromEntries(Object.entries(files).filter(([name]) => /\.[jt]sx?$/.test(name)))
  if (Object.keys(code).length === 0) return { capabilities: {}, errors: {} }
  if (running >= MAX_AT_ONCE) {
    if (waiting.length >= MAX_WAITING) throw unavailable('Too much code is being read just now. Try again in a moment.')
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running++
  try {
    return await inProcess(code)
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

/** Those that have answered and wait a while for the next code: starting one takes longer than reading. */
const idle: ChildProcess[] = []

async function inProcess(files: Record<string, string>): Promise<Inspection> {
  const child = idle.pop() ?? start()
  child.ref()
  child.channel?.ref()
  const timer = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS)
  try {
    const found = await ask(child, files)
    if (found) {
      rest(child)
      return found
    }
  } finally {
    clearTimeout(timer)
  }
  const error = 'The code could not be read: it takes too much time or memory.'
  return { capabilities: {}, errors: Object.fromEntries(Object.keys(files).map((name) => [name, error])) }
}

const start = (): ChildProcess =>
  fork(PROGRAM, {
    execArgv: [`--max-old-space-size=${MEMORY_MB}`, ...(fromSources ? ['--import=tsx'] : [])],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })

/** Undefined when it was killed, by us or for its memory. */
function ask(child: ChildProcess, files: Record<string, string>): Promise<Inspection | undefined> {
  return new Promise((resolve, reject) => {
    child.once('message', (inspection: Inspection) => {
      child.removeAllListeners()
      resolve(inspection)
    })
    child.once('error', reject)
    child.once('close', (code) => {
      // One that ends by itself has not even started.
      if (code === 1) reject(new Error('the process that reads code does not start'))
      else resolve(undefined)
    })
    child.send(files, () => undefined)
  })
}

function rest(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
  const leave = (): void => {
    clearTimeout(timer)
    const place = idle.indexOf(child)
    if (place >= 0) idle.splice(place, 1)
    if (child.connected) child.disconnect()
  }
  const timer = setTimeout(leave, IDLE_MS).unref()
  child.once('exit', leave)
  child.once('error', leave)
  idle.push(child)
}
