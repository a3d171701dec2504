/** A receiver of webhooks on loopback. */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

export interface ReceivedHook {
  path: string
  headers: IncomingHttpHeaders
  text: string
  body: AlertBody
}

/** The body of a webhook, as docs/alerts.md describes it. */
export interface AlertBody {
  id: string
  alert: { id: string }
  type: string
  text: string
  lag_minutes: number | null
  run: { status: string; latest_error: string | null } | null
  project: { id: number; name: string } | null
  batch_export: { id: string; name: string } | null
  messages: { id: string; batch_export: { id: string; name: string } }[]
}

export interface Receiver {
  url: string
  hooks: ReceivedHook[]
  /** Sets the response of the next requests. By default they get 204. */
  respondWith(respond: (response: ServerResponse, hook: ReceivedHook) => void): void
}

export async function openReceiver(t: Test): Promise<Receiver> {
  const accept = (response: ServerResponse): void => void response.writeHead(204).end()
  let respond: (response: ServerResponse, hook: ReceivedHook) => void = accept
  const hooks: ReceivedHook[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const hook = { path: String(request.url), headers: request.headers, text, body: JSON.parse(text) }
    hooks.push(hook)
    respond(response, hook)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    hooks,
    respondWith: (next) => {
      respond = next
    },
  }
}

/** Verifies the signature as docs/alerts.md describes it. */
export function isSigned({ headers, text }: ReceivedHook, secret: string | null): boolean {
  const key = Buffer.from(String(secret).replace(/^whsec_/, ''), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}
