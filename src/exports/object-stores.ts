/** Shared by object stores over HTTP: connections and error handling. */
import { once } from 'node:events'
import type { Agent } from 'node:http'
import type { Socket } from 'node:net'
import type { Outbound } from '../outbound/guard.ts'
import { DeliveryError, refused, unreachable } from './destination.ts'

/** Timeouts, and the retries made by the store's library. */
export interface Patience {
  connect_ms: number
  /** Without any data in either direction. */
  idle_ms: number
  tries: number
  pause_ms: number
}

export const PATIENCE: Patience = { connect_ms: 10_000, idle_ms: 60_000, tries: 3, pause_ms: 1_000 }

export interface Host {
  host: string
  port: number
}

export const hostOf = ({ protocol, hostname, port }: URL): Host => ({
  host: hostname,
  port: port ? Number(port) : protocol === 'https:' ? 443 : 80,
})

/** Opens a connection and closes it again. */
export async function reach(outbound: Outbound, { host, port }: Host, { connect_ms }: Patience): Promise<void> {
  const socket = outbound.socket()
  try {
    socket.connect({ host: host.replace(/^\[(.*)\]$/, '$1'), port })
    await once(socket, 'connect', { signal: AbortSignal.timeout(connect_ms) })
  } catch (error) {
    throw (error as Error).name === 'AbortError' ? unreachable(SILENT) : explained(error)
  } finally {
    socket.destroy()
  }
}

/** A guarded agent whose idle sockets are destroyed. Node only emits an event, which some libraries ignore. */
export function impatientAgent(outbound: Outbound, protocol: 'http:' | 'https:', { idle_ms }: Patience): Agent {
  const agent = outbound.agent(protocol, { keepAlive: true, timeout: idle_ms })
  const connecting = agent as unknown as { createConnection(...args: unknown[]): Socket | undefined }
  const connect = connecting.createConnection
  connecting.createConnection = function (...args) {
    const socket = connect.apply(this, args)
    socket?.on('timeout', () => socket.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })))
    return socket
  }
  return agent
}

const SILENT = 'The store did not answer in time. It is tried again.'
const UNTRUSTED = 'The certificate of the store is not to be trusted. Check the address, or mend the certificate.'

/** Describes a connection failure; returns any other error unchanged. */
export function explained(error: unknown): unknown {
  if (error instanceof DeliveryError) return error
  const { code, name } = error as { code?: unknown; name?: string }
  // The AWS SDK renames connection errors but keeps their code.
  if (code === 'ETIMEDOUT' || (code === undefined && name === 'TimeoutError')) return unreachable(SILENT)
  if (typeof code !== 'string' || code.startsWith('outbound_')) return error
  if (/CERT|TLS|SSL/.test(code)) return refused(UNTRUSTED)
  if (/^E[A-Z]+$|^REQUEST_SEND_ERROR$/.test(code))
    return unreachable(`The connection to the store failed (${code}). It is tried again.`)
  return error
}

/** Describes an HTTP status. */
export function statusMeans(status: number): DeliveryError {
  if (status >= 500 || status === 408 || status === 429)
    return unreachable(`The store cannot take anything just now (${status}). It is tried again.`)
  if (status === 401 || status === 403)
    return refused(`The store refuses these credentials (${status}). Check them, and what they may do.`)
  return refused(`The store refuses the request (${status}). Check the configuration.`)
}
