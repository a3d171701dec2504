/** Peers of exports: `clickhouse` accepts inserts and counts their rows, `s3 <folder>` is s3rver. Prints its port. */
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

const [kind, directory] = process.argv.slice(2)
if (kind === 's3') {
  const S3rver = createRequire(import.meta.url)('s3rver')
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'events' }],
  })
  console.log((await server.run()).port)
} else {
  /** Decompresses and scans an insert, as ClickHouse would at least. */
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    if (request.headers['content-encoding'] !== 'gzip') return response.end()
    const rows = await promisify(gunzip)(body)
    let count = 0
    for (let at = rows.indexOf(10); at !== -1; at = rows.indexOf(10, at + 1)) count++
    response.end(String(count && ''))
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
}
