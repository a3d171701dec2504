/** The upper bound: node:http with prepared bodies. The arguments are pairs of a path and the file of its body. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { ready } from './rows.mjs'

const pairs = process.argv.slice(2)
const bodies = new Map(pairs.flatMap((path, i) => (i % 2 === 0 ? [[path, readFileSync(pairs[i + 1])]] : [])))
const server = createServer((request, response) => {
  const body = bodies.get(request.url)
  response.writeHead(body ? 200 : 404, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body?.length ?? 0,
  })
  response.end(body)
}).listen(0, '127.0.0.1', () => ready(server))
