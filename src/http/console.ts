import { extname } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { consoleFile } from '../api/console-files.ts'
import { consolePage } from '../api/console-page.ts'
import { operations } from '../contract/table.ts'
import { pathOf } from './request-url.ts'

const IMMUTABLE = 'public, max-age=31536000, immutable'

/** Sends a file or the page of the console. Returns false if the path is not one of the console's. */
export async function sendConsole(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false
  const path = pathOf(request.raw)
  if (extname(path) !== '') return sendFile(path, request, reply)
  if (isReserved(path) || !request.headers.accept?.includes('text/html')) return false
  const { headers, type, body } = await consolePage()
  reply.code(200).headers(headers).type(`${type}; charset=utf-8`).send(body)
  return true
}

async function sendFile(path: string, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  const file = await consoleFile(path, request.headers['accept-encoding'])
  if (file === null) return false
  if (file.encoding !== null) reply.header('content-encoding', file.encoding)
  reply
    .code(200)
    .header('cache-control', file.immutable ? IMMUTABLE : 'no-cache')
    .header('vary', 'accept-encoding')
    .header('content-length', file.bytes)
    .type(file.media_type)
    .send(file.open())
  return true
}

let reserved: Set<string> | undefined

const firstSegment = (path: string): string => path.split('/', 2)[1] ?? ''

/** Whether the first segment of the path belongs to the API. */
function isReserved(path: string): boolean {
  reserved ??= new Set(['assets', ...operations.map((operation) => firstSegment(operation.path))])
  return reserved.has(firstSegment(path))
}
