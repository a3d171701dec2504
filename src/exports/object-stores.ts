/** Connections and error messages that the object stores share. */
import { once } from 'node:events'
import type { Agent } from 'node:http'
import { errorCode } from '../errors.ts'
import type { Outbound } from '../outbound/guard.ts'
import { DeliveryError, permanentError, retryableError } from './destination.ts'
import { connectionFailure, isCertificateError } from './guarded-requests.ts'

/** Timeouts, and the retries of the store's client library. */
export interface ObjectStoreLimits {
  connect_ms: number
  /** Time without data in either direction. */
  idle_ms: number
  attempts: number
  retry_delay_ms: number
}

export const DEFAULT_LIMITS: ObjectStoreLimits = {
  connect_ms: 10_000,
  idle_ms: 60_000,
  attempts: 3,
  retry_delay_ms: 1_000,
}

export interface Host {
  host: string
  port: number
}

export const hostOf = ({ protocol, hostname, port }: URL): Host => ({
  host: hostname,
  port: port ? Number(port) : protocol === 'https:' ? 443 : 80,
})

/** Opens a connection and closes it again. */
export async function testConnection(
  outbound: Outbound,
  { host, port }: Host,
  { connect_ms }: ObjectStoreLimits,
): Promise<void> {
  const socket = outbound.socket()
  const deadline = AbortSignal.timeout(connect_ms)
  try {
    socket.connect({ host: host.replace(/^\[(.*)\]$/, '$1'), port })
    await once(socket, 'connect', { signal: deadline })
  } catch (error) {
    throw deadline.aborted ? retryableError(TIMED_OUT) : describeNetworkError(error)
  } finally {
    socket.destroy()
  }
}

/** A guarded agent that destroys idle sockets. Node only emits an event, which some libraries ignore. */
export function agentWithIdleTimeout(
  outbound: Outbound,
  protocol: 'http:' | 'https:',
  { idle_ms }: ObjectStoreLimits,
): Agent {
  const agent: Agent = outbound.agent(protocol, { keepAlive: true, timeout: idle_ms })
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, callback) => {
    const socket = connect(options, callback)
    socket?.on('timeout', () => socket.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })))
    return socket
  }
  return agent
}

const TIMED_OUT = 'The store did not respond in time. Check that it is running and reachable.'
const NOT_TRUSTED = "The store's certificate is not trusted. Check the address, or replace the certificate."

/** Describes a connection failure; returns any other error unchanged. */
export function describeNetworkError(error: unknown): unknown {
  if (error instanceof DeliveryError) return error
  const code = errorCode(error)
  // The AWS SDK renames connection errors but keeps their code.
  const isTimeout = code === '' && error instanceof Error && error.name === 'TimeoutError'
  if (code.startsWith('outbound_')) return error
  const failure = connectionFailure(code)
  if (failure === 'timeout' || isTimeout) return retryableError(TIMED_OUT)
  if (isCertificateError(code)) return permanentError(NOT_TRUSTED)
  if (failure === 'handshake' || /^E[A-Z]+$|^REQUEST_SEND_ERROR$/.test(code))
    return retryableError(`The connection to the store failed (${code}). Check that it is running and reachable.`)
  return error
}

export function describeStatus(status: number): DeliveryError {
  if (status >= 500 || status === 408 || status === 429)
    return retryableError(`The store is temporarily unavailable (${status}).`)
  if (status === 401 || status === 403)
    return permanentError(`The store rejected the credentials (${status}). Check them and their permissions.`)
  return permanentError(`The store rejected the request (${status}). Check the configuration.`)
}
