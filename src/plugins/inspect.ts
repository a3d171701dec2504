import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { unavailable } from '../errors.ts'
import type { Inspection } from './code.ts'

export type { Capabilities, Inspection } from './code.ts'

const DEADLINE_MS = 5000
const MEMORY_MB = 192
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

function inProcess(files: Record<string, string>): Promise<Inspection> {
  const child = fork(PROGRAM, {
    execArgv: [`--max-old-space-size=${MEMORY_MB}`, ...(fromSources ? ['--import=tsx'] : [])],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS)
    let found: Inspection | undefined
    child.once('message', (inspection: Inspection) => {
      found = inspection
    })
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(timer)
      if (found) return resolve(found)
      // Killed, by us or for its memory. One that ends by itself without a word has not even started.
      if (code === 1) return reject(new Error('the process that reads code does not start'))
      const error = 'The code could not be read: it takes too much time or memory.'
      resolve({ capabilities: {}, errors: Object.fromEntries(Object.keys(files).map((name) => [name, error])) })
    })
    child.send(files, (error) => {
      if (error) child.kill('SIGKILL')
    })
  })
}
