/** The upper bound for writes: node:http around the transactions, without validation. */
import { createServer } from 'node:http'
import { ready } from './rows.mjs'
import { openTransactions } from './transactions.mjs'

const { create, patch } = openTransactions(process.argv[2])
const body = Buffer.from('{}')
const server = createServer((request, response) => {
  let text = ''
  request.on('data', (chunk) => {
    text += chunk
  })
  request.on('end', () => {
    const { name } = JSON.parse(text)
    if (request.method === 'POST') create(name)
    else patch(request.url.split('/')[3], name)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    response.end(body)
  })
}).listen(0, '127.0.0.1', () => ready(server))
