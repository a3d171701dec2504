/** Express with express-openapi-validator on the contract. It validates requests and credentials, not responses. */
import { readFileSync } from 'node:fs'
import express from 'express'
import { middleware } from 'express-openapi-validator'
import { openRows, ready } from './rows.mjs'

const rows = openRows(process.argv[2])
const apiSpec = JSON.parse(readFileSync(process.argv[3], 'utf8'))
// Keep only the operations that this server implements.
for (const path of Object.keys(apiSpec.paths))
  if (!['/api/organizations/', '/api/organizations/{id}/'].includes(path)) delete apiSpec.paths[path]
const app = express()
app.disable('x-powered-by')
app.use(
  middleware({
    apiSpec,
    validateApiSpec: false,
    validateResponses: false,
    validateSecurity: {
      handlers: {
        apiKey: (request) => {
          request.user_id = rows.userOf(request.headers.authorization)
          return request.user_id !== undefined
        },
      },
    },
  }),
)
app.get('/api/organizations/:id/', (request, response) => {
  const found = rows.retrieve(request.user_id, request.params.id)
  response.status(found ? 200 : 404).json(found ?? { detail: 'Not found.' })
})
app.get('/api/organizations/', ({ user_id, query }, response) => {
  response.json(rows.list(user_id, Number(query.limit ?? 100), Number(query.offset ?? 0)))
})
const server = app.listen(0, '127.0.0.1', () => ready(server))
