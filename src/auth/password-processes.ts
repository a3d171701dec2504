/**
 * Measures passwords with zxcvbn and hashes them with argon2, in child processes that use idle CPUs. zxcvbn takes up to
 * 130 ms. Hashes in the thread pool of the server tripled the 95th percentile of other requests on two cores.
 */
import { availableParallelism } from 'node:os'
import type { Options } from '@node-rs/argon2'
import { createProcessPool, type ProcessPool } from '../background/process-pool.ts'
import { unavailable } from '../errors.ts'

const IDLE_MS = 60_000
const TIMEOUT_MS = 30_000
/** A machine without an idle CPU for this long is busy: for the next BUSY_MS, tasks compete for the CPU. */
const PATIENCE_MS = 1_000
const BUSY_MS = 10_000
/** A hash takes 35 to 90 ms of one core. One core stays free for requests. */
export const MAX_CONCURRENT = Math.max(1, availableParallelism() - 1)
const MAX_WAITING = 200

export type PasswordTask =
  | {
      kind: 'measure'
      password: string
      /** Words that make a password weak, such as the user's name. */
      personal: readonly string[]
    }
  | { kind: 'hash'; password: string; parameters: Options }
  | { kind: 'verify'; password: string; stored: string }

export type PasswordReply =
  | { kind: 'measure'; strength: Strength }
  | { kind: 'hash'; hash: string }
  | { kind: 'verify'; matches: boolean }

export interface Strength {
  /** From 0 (guessed immediately) to 4. */
  score: number
  /** How to improve a weak password. */
  advice: string
}

export interface PasswordProcesses {
  measure(password: string, personal: readonly string[]): Promise<Strength>
  hash(password: string, parameters: Options): Promise<string>
  /** False for a text that is not a hash. */
  verify(stored: string, password: string): Promise<boolean>
  stop(): Promise<void>
}

type PasswordPool = ProcessPool<PasswordTask, PasswordReply>

/** All methods throw `unavailable` when too many tasks are waiting. */
export function createPasswordProcesses({ patience_ms = PATIENCE_MS } = {}): PasswordProcesses {
  const createPool = (only_idle_cpu: boolean): PasswordPool =>
    createProcessPool({
      program: new URL('./password-process', import.meta.url),
      idle_ms: IDLE_MS,
      env: {},
      stderr: 'ignore',
      only_idle_cpu,
    })
  const patient = createPool(true)
  const competing = createPool(false)
  let busy_until = 0
  const waiting: (() => void)[] = []
  let running = 0

  async function perform(task: PasswordTask): Promise<PasswordReply> {
    if (running >= MAX_CONCURRENT) {
      if (waiting.length >= MAX_WAITING) throw unavailable('Too many sign-ins are waiting. Retry in a few seconds.')
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await run(task)
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }

  async function run(task: PasswordTask): Promise<PasswordReply> {
    if (performance.now() >= busy_until)
      try {
        return await compute(patient, task, patience_ms)
      } catch {
        busy_until = performance.now() + BUSY_MS
      }
    return compute(competing, task, TIMEOUT_MS).catch((cause) => {
      throw unavailable('The password could not be checked. Retry the request.', cause)
    })
  }

  /** Throws `ProcessExited` after `limit_ms`. */
  async function compute(pool: PasswordPool, task: PasswordTask, limit_ms: number): Promise<PasswordReply> {
    const child = pool.take()
    const timer = setTimeout(() => void child.kill(), limit_ms)
    try {
      await child.send(task)
      return await child.receive()
    } finally {
      clearTimeout(timer)
      pool.release(child)
    }
  }

  const unexpectedReply = (): Error => new Error('The password process sent an unexpected reply.')

  return {
    measure: async (password, personal) => {
      const reply = await perform({ kind: 'measure', password, personal })
      if (reply.kind !== 'measure') throw unexpectedReply()
      return reply.strength
    },
    hash: async (password, parameters) => {
      const reply = await perform({ kind: 'hash', password, parameters })
      if (reply.kind !== 'hash') throw unexpectedReply()
      return reply.hash
    },
    verify: async (stored, password) => {
      const reply = await perform({ kind: 'verify', password, stored })
      if (reply.kind !== 'verify') throw unexpectedReply()
      return reply.matches
    },
    stop: async () => {
      await Promise.all([patient.stop(), competing.stop()])
    },
  }
}
