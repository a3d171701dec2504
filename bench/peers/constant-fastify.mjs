/** Fastify with one route that returns a prepared body. The arguments are pairs of a path and the file of its body. */
import { readFileSync } from 'node:fs'
import Fastify from 'fastify'
import { ready } from './rows.mjs'

const pairs = process.argv.slice(2)
const bodies = new Map(pairs.flatMap((path, i) => (i % 2 === 0 ? [[path, readFileSync(pairs[i + 1])]] : [])))
const app = Fastify()
app.get('/*', (request, reply) => {
  const body = bodies.get(request.url)
  reply
    .code(body ? 200 : 404)
    .header('content-type', 'application/json; charset=utf-8')
    .send(body)
})
await app.listen({ port: 0, host: '127.0.0.1' })
ready(app.server)
