/** Plain Fastify with hand-written routes and without response schemas. */
import Fastify from 'fastify'
import { openRows, ready } from './rows.mjs'

const rows = openRows(process.argv[2])
const app = Fastify()
app.decorateRequest('user_id', 0)
app.addHook('onRequest', async (request, reply) => {
  request.user_id = rows.userOf(request.headers.authorization)
  if (request.user_id === undefined) return reply.code(401).send({ detail: 'Send a key.' })
})
app.get('/api/organizations/:id/', async (request, reply) => {
  const found = rows.retrieve(request.user_id, request.params.id)
  return found ?? reply.code(404).send({ detail: 'Not found.' })
})
app.get('/api/organizations/', async ({ user_id, query }) =>
  rows.list(user_id, Number(query.limit ?? 100), Number(query.offset ?? 0)),
)
await app.listen({ port: 0, host: '127.0.0.1' })
ready(app.server)
