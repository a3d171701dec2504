/** Processes killed between the failure of a run and the webhook about it: every message arrives, and has one id. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import type { Engine } from '../../src/sql/template.ts'
import { ENGINES } from '../helpers/app.ts'
import { bySize, figure, inTurn } from '../helpers/assertions/figures.ts'
import { itemAt } from '../helpers/assertions/items.ts'
import { isSigned, openReceiver } from '../helpers/peers/receiver.ts'
import { openSite, until } from '../helpers/programs/site.ts'
import { BEYOND_LEASE_MS, base, createExport, WINDOW_MS, waitForHorizon } from '../helpers/seeds/deliveries.ts'

const ROUNDS = bySize({ quick: 1, full: 2, prove: 25 })
const EXPORTS = 3
/** Longer than the time between two digests. */
const BEYOND_DIGEST_MS = 6 * 60_000

t.setTimeout(bySize({ full: 10, prove: 60 }) * 60_000)

/** A destination that rejects every token, so each run fails at once. */
async function openRejecting(t: Test): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.writeHead(401).end())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/batch/`
}

async function testKills(t: Test, engine: Engine): Promise<void> {
  const site = await openSite(t, engine)
  const receiver = await openReceiver(t)
  const destination = { type: 'HTTP', config: { url: await openRejecting(t), token: 'phc_wrong' } }
  const within = '/api/organizations/@current/alerts/'
  let repeated = 0
  for (let round = 1; round <= ROUNDS; round++) {
    const exports: string[] = []
    for (let i = 1; i <= EXPORTS; i++) exports.push(await createExport(site, { name: `${round}.${i}`, destination }))
    const alert = await site.request('POST', within, {
      name: `round ${round}`,
      triggers: ['failure'],
      channel: 'webhook',
      url: receiver.url,
    })
    const received = () => receiver.hooks.filter(({ body }) => body.alert.id === alert.id)
    // The first request gets no response, and the other messages of this alert wait for the next digest.
    receiver.respondWith(() => undefined)
    const batch = [{ event: 'seen', distinct_id: 'somebody' }]
    await site.request('POST', '/batch/', { api_key: site.project_token, batch })
    await waitForHorizon(site)
    site.advance(WINDOW_MS)
    for (const id of exports)
      await until(async () => {
        const { results } = await site.request('GET', `${base(site)}/${id}/runs/`)
        return results.some(({ status }: { status: string }) => status === 'Failed')
      })
    await until(async () => received().length > 0)
    await site.kill()
    t.equal(received().length, 1, 'the other messages were stored and not sent')

    receiver.respondWith((response) => void response.writeHead(204).end())
    await site.start()
    site.advance(BEYOND_LEASE_MS)
    site.advance(BEYOND_DIGEST_MS)
    const messages = () =>
      received()
        .slice(1)
        .flatMap(({ body }) => body.messages)
    await until(async () => messages().length >= EXPORTS)
    t.ok(received().every((hook) => isSigned(hook, alert.secret)))
    t.same(
      messages()
        .map((message) => message.batch_export.id)
        .toSorted(),
      exports.toSorted(),
      'one message for each failing export',
    )
    const repeats = received().filter(({ headers }) => headers['webhook-id'] === itemAt(received(), 0).body.id)
    t.equal(repeats.length, 2, 'the interrupted request is repeated with the same id')
    repeated += repeats.length - 1
    await site.request('DELETE', `${within}${alert.id}/`)
    for (const id of exports) await site.request('DELETE', `${base(site)}/${id}/`)
  }
  t.equal(repeated, ROUNDS)
  const result = `each of ${ROUNDS * EXPORTS} messages arrived; the ${repeated} that were interrupted arrived again with the same id`
  figure(t, { area: 'Alerts', count: ROUNDS, of: 'kills', result })
}

for (const engine of inTurn(ENGINES))
  t.test(`webhooks arrive despite kill -9 between enqueueing and sending (${engine})`, (t) => testKills(t, engine))
