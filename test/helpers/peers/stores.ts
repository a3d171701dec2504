/** Destinations of exports, and a proxy with faults in front of them. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { describeFailure } from '../../../src/exports/deliver.ts'
import type { Destination, Tools } from '../../../src/exports/destination.ts'
import { createOutbound } from '../../../src/outbound/guard.ts'
import { itemAt } from '../assertions/items.ts'
import { freshFolder } from '../folders.ts'
import { FIRST_ATTEMPT } from '../seeds/exports.ts'

export const SHORT_TIMEOUTS = { connect_ms: 2_000, idle_ms: 1_000, attempts: 2, retry_delay_ms: 10 }

export const toolsFor = (t: Test, more: Partial<Tools> = {}): Tools => ({
  outbound: createOutbound({ allow: '127.0.0.1/32' }),
  files_root: '/nowhere',
  scratch: freshFolder(t),
  signal: new AbortController().signal,
  checkpoint: async () => undefined,
  log: () => undefined,
  ...more,
})

/** Delivers one page of text. Returns the failure that the owner of the export would see. */
export async function send(
  destination: Destination<object>,
  config: object,
  tools: Tools,
  text = '{"event":"seen"}\n',
): Promise<ReturnType<typeof describeFailure> | undefined> {
  const receiver = await destination.open({ ...FIRST_ATTEMPT, config, columns: destination.columns, tools })
  try {
    await receiver.write({ records: 1, text: Buffer.from(text), cursor: [1, 0] })
    await receiver.commit()
    return undefined
  } catch (error) {
    await receiver.abort()
    return describeFailure(error)
  }
}

/** Runs the test steps of a destination. Returns the completed steps and the failure. */
export async function stepsOf(
  destination: Destination<object>,
  config: object,
  tools: Tools,
): Promise<{ completed: string[]; failure?: ReturnType<typeof describeFailure> }> {
  const completed: string[] = []
  try {
    for await (const _ of destination.test(config, tools)) completed.push(itemAt(destination.steps, completed.length))
    return { completed }
  } catch (error) {
    return { completed, failure: describeFailure(error) }
  }
}

export type Fault = 'hang' | 'drop' | { status: number; body?: string; headers?: Record<string, string> } | undefined

export interface FaultProxy {
  port: number
  seen: { method: string; url: string; headers: IncomingMessage['headers'] }[]
  /** The fault for a request; undefined forwards it. */
  fault: (request: IncomingMessage) => Fault
  /** Resolves when a request hangs. */
  hanging: Promise<void>
}

/** Starts a proxy in front of a store that records requests and injects faults. */
export async function openFaultProxy(t: Test, target: number): Promise<FaultProxy> {
  let markHanging = (): void => undefined
  const hanging = new Promise<void>((resolve) => {
    markHanging = resolve
  })
  const proxy: FaultProxy = { port: 0, seen: [], fault: () => undefined, hanging }
  const server = createServer((incoming, response) => {
    proxy.seen.push({ method: String(incoming.method), url: String(incoming.url), headers: incoming.headers })
    const fault = proxy.fault(incoming)
    if (fault === undefined) return forward(incoming, response, target)
    if (fault === 'hang') return markHanging()
    if (fault === 'drop') return void incoming.once('data', () => incoming.socket.destroy())
    incoming.resume().on('end', () => response.writeHead(fault.status, fault.headers).end(fault.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  proxy.port = (server.address() as AddressInfo).port
  return proxy
}

function forward(incoming: IncomingMessage, response: ServerResponse, port: number): void {
  const { method, url, headers } = incoming
  const outgoing = request({ host: '127.0.0.1', port, method, path: url, headers, agent: false }, (reply) => {
    response.writeHead(Number(reply.statusCode), reply.headers)
    reply.pipe(response)
  })
  outgoing.on('error', () => response.destroy())
  // The store sees an aborted request, too, even if all of it was received.
  response.on('close', () => outgoing.destroy())
  incoming.pipe(outgoing)
}
