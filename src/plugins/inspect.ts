import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { unavailable } from '../errors.ts'
import type { Inspection } from './code.ts'

export type { Capabilities, Inspection } from './code.ts'

const DEADLINE_MS = 5000
const START_MS = 30_000
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
const idle: { child: ChildProcess; timer: NodeJS.Timeout }[] = []

async function inProcess(files: Record<string, string>): Promise<Inspection> {
  const child = wake() ?? (await start())
  const timer = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS)
  const found = await ask(child, files)
  clearTimeout(timer)
  if (found) {
    rest(child)
    return found
  }
  const error = 'The code could not be read: it takes too much time or memory.'
  return { capabilities: {}, errors: Object.fromEntries(Object.keys(files).map((name) => [name, error])) }
}

/** Resolves when it has loaded its parser: on a busy machine that takes longer than some code may. */
function start(): Promise<ChildProcess> {
  const child = fork(PROGRAM, {
    execArgv: [`--max-old-space-size=${MEMORY_MB}`, ...(fromSources ? ['--import=tsx'] : [])],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), START_MS)
    const settle = (error?: Error): void => {
      clearTimeout(timer)
      forget(child)
      if (error) reject(error)
      else resolve(child)
    }
    child.once('message', () => settle())
    child.once('error', settle)
    child.once('close', () => settle(new Error('the process that reads code does not start')))
  })
}

/** Undefined when it was killed, by us or for its memory. */
function ask(child: ChildProcess, files: Record<string, string>): Promise<Inspection | undefined> {
  return new Promise((resolve) => {
    const settle = (found?: Inspection): void => {
      forget(child)
      resolve(found)
    }
    child.once('message', (inspection: Inspection) => settle(inspection))
    child.once('error', () => settle())
    child.once('close', () => settle())
    child.send(files, () => undefined)
  })
}

function rest(child: ChildProcess): void {
  const leave = (): void => {
    const place = idle.findIndex((entry) => entry.child === child)
    if (place >= 0) clearTimeout(idle.splice(place, 1)[0]!.timer)
    if (child.connected) child.disconnect()
  }
  child.once('close', leave)
  child.once('error', leave)
  child.unref()
  child.channel?.unref()
  idle.push({ child, timer: setTimeout(leave, IDLE_MS).unref() })
}

function wake(): ChildProcess | undefined {
  const entry = idle.pop()
  if (!entry) return undefined
  const { child, timer } = entry
  clearTimeout(timer)
  forget(child)
  child.ref()
  child.channel?.ref()
  return child
}

const forget = (child: ChildProcess): void => {
  for (const event of ['message', 'close', 'error']) child.removeAllListeners(event)
}
