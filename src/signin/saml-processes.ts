/**
 * Parses and verifies SAML responses in child processes. Anyone can post a response, and the libraries parse it before
 * they know who signed it.
 */
import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { createProcessPool, type PooledProcess } from '../background/process-pool.ts'
import { createSlots } from '../background/slots.ts'
import { type SamlRequest, SamlResult, Started, type VerifiedResponse } from './saml-messages.ts'
import { SsoError } from './sso.ts'

const MAX_PROCESSES = 2
const MAX_WAITING = { max_waiting: 100, max_waiting_per_owner: 50 }
const WAIT_MS = 20_000
/** The start of a process takes 0.3 s, on a busy machine much longer. */
const START_MS = 30_000
/** An ordinary response takes 50 ms, and the worst that `findExcess` accepts 1 s. */
const DEADLINE_MS = 10_000
const IDLE_MS = 60_000
const MEMORY_MB = 128
const NICENESS = 10
const TOO_MANY = 'too many SAML responses are waiting'

export interface SamlProcesses {
  /** Login domains, the owners, share the processes fairly. Throws SsoError. */
  verify(request: SamlRequest, owner: string): Promise<VerifiedResponse>
  stop(): Promise<void>
}

/** No environment, no child processes, no writing. The libraries are files of the package and of its dependencies. */
function permissionFlags(): string[] {
  const isBuilt = import.meta.url.endsWith('js')
  return isBuilt && process.allowedNodeEnvironmentFlags.has('--permission') ? ['--permission', '--allow-fs-read=*'] : []
}

/** Starts a process when the first response arrives. */
export function createSamlProcesses({ deadline_ms = DEADLINE_MS } = {}): SamlProcesses {
  const pool = createProcessPool<SamlRequest, unknown>({
    program: new URL('./saml-process', import.meta.url),
    memory_mb: MEMORY_MB,
    flags: permissionFlags(),
    idle_ms: IDLE_MS,
    niceness: NICENESS,
    env: {},
    stderr: 'ignore',
  })
  const slots = createSlots({ max: MAX_PROCESSES, ...MAX_WAITING, full: TOO_MANY })

  async function exchange(request: SamlRequest): Promise<VerifiedResponse> {
    const child = pool.take()
    try {
      await within(child, START_MS, async () => {
        await child.send(request)
        await receive(child, Started)
      }).catch(() => {
        throw new SsoError('sso_unavailable', 'the process that verifies SAML responses did not start')
      })
      const result = await within(child, deadline_ms, () => receive(child, SamlResult)).catch(() => {
        if (slots.stopped) throw new SsoError('sso_unavailable', 'the server is shutting down')
        throw new SsoError('sso_failed', 'the response could not be verified in time')
      })
      if (result.kind === 'refused') throw new Refused('sso_failed', result.reason)
      return result
    } catch (error) {
      // After a refusal the process waits for the next response.
      if (!(error instanceof Refused)) await child.kill()
      throw error
    } finally {
      pool.release(child)
    }
  }

  return {
    verify: async (request, owner) => {
      const release = await slots.take(owner, performance.now() + WAIT_MS).catch(({ message }) => {
        throw new SsoError('sso_unavailable', message)
      })
      if (!release) throw new SsoError('sso_unavailable', TOO_MANY)
      try {
        return await exchange(request)
      } catch (error) {
        throw error instanceof SsoError ? error : new SsoError('sso_unavailable', String(error))
      } finally {
        release()
      }
    },
    stop: () => {
      slots.stop()
      return pool.stop()
    },
  }
}

type Child = PooledProcess<SamlRequest, unknown>

/** The response is invalid. */
class Refused extends SsoError {}

/** Kills a process that takes longer. */
async function within<Result>(child: Child, limit_ms: number, work: () => Promise<Result>): Promise<Result> {
  const timer = setTimeout(() => void child.kill(), limit_ms)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
  }
}

async function receive<Reply extends TSchema>(child: Child, schema: Reply): Promise<Static<Reply>> {
  const reply = await child.receive()
  if (!Value.Check(schema, reply)) throw new Error('The SAML process sent an unexpected reply.')
  return reply
}
