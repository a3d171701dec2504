/**
 * Measures passwords with zxcvbn and hashes them with argon2, in child processes that use idle CPUs. zxcvbn takes up to
 * 130 ms. Hashes in the thread pool of the server tripled the 95th percentile of other requests on two cores.
 */
import { availableParallelism } from 'node:os'
import type { Options } from '@node-rs/argon2'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { createProcessPool, type ProcessPool } from '../background/process-pool.ts'
import { createSlots } from '../background/slots.ts'
import { unavailable } from '../errors.ts'

const IDLE_MS = 60_000
const TIMEOUT_MS = 30_000
/** A machine without an idle CPU for this long is busy: for the next BUSY_MS, tasks compete for the CPU. */
const PATIENCE_MS = 1_000
const BUSY_MS = 10_000
/** A hash takes 35 to 90 ms of one core. One core stays free for requests. */
export const MAX_CONCURRENT = Math.max(1, availableParallelism() - 1)
const MAX_WAITING = 200
const TOO_MANY = 'Too many sign-ins are waiting. Retry in a few seconds.'

export type PasswordTask =
  | {
      kind: 'measure'
      password: string
      /** Words that make a password weak, such as the user's name. */
      personal: readonly string[]
    }
  | { kind: 'hash'; password: string; parameters: Options }
  | { kind: 'verify'; password: string; stored: string }

/** `score`: from 0 (guessed immediately) to 4. `advice`: how to improve a weak password. */
const Strength = Type.Object({ score: Type.Number(), advice: Type.String() })
export type Strength = Static<typeof Strength>

export interface PasswordProcesses {
  measure(password: string, personal: readonly string[]): Promise<Strength>
  hash(password: string, parameters: Options): Promise<string>
  /** False for a text that is not a hash. */
  verify(stored: string, password: string): Promise<boolean>
  stop(): Promise<void>
}

type PasswordPool = ProcessPool<PasswordTask, unknown>

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
  const slots = createSlots({ max: MAX_CONCURRENT, max_waiting: MAX_WAITING, full: TOO_MANY })

  async function perform<Reply extends TSchema>(task: PasswordTask, schema: Reply): Promise<Static<Reply>> {
    const release = await slots.take(null, Number.POSITIVE_INFINITY)
    try {
      const reply = await run(task)
      if (!Value.Check(schema, reply)) throw new Error('The password process sent an unexpected reply.')
      return reply
    } finally {
      release?.()
    }
  }

  async function run(task: PasswordTask): Promise<unknown> {
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
  async function compute(pool: PasswordPool, task: PasswordTask, limit_ms: number): Promise<unknown> {
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

  return {
    measure: (password, personal) => perform({ kind: 'measure', password, personal }, Strength),
    hash: (password, parameters) => perform({ kind: 'hash', password, parameters }, Type.String()),
    verify: (stored, password) => perform({ kind: 'verify', password, stored }, Type.Boolean()),
    stop: async () => {
      slots.stop()
      await Promise.all([patient.stop(), competing.stop()])
    },
  }
}
