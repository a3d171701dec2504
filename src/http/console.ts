import { extname } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { consoleFile } from '../api/console-files.ts'
import { consolePage } from '../api/console-page.ts'
import { operations } from '../contract/table.ts'
import { pathOf } from './request-url.ts'

const IMMUTABLE = 'public, max-age=31536000, immutable'

/** Serves a file or the page of the console. Returns undefined if the path is not one of the console's. */
export async function sendConsole(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
  const path = pathOf(request.raw)
  if (extname(path) !== '') return sendFile(path, request, reply)
  if (isReserved(path) || !request.headers.accept?.includes('text/html')) return undefined
  const { headers, type, body } = await consolePage()
  return reply.code(200).headers(headers).type(`${type}; charset=utf-8`).send(body)
}

async function sendFile(path: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
  const file = await consoleFile(path, request.headers['accept-encoding'])
  if (file === null) return undefined
  if (file.encoding !== null) reply.header('content-encoding', file.encoding)
  reply
    .code(200)
    .header('cache-control', file.immutable ? IMMUTABLE : 'no-cache')
    .header('vary', 'accept-encoding')
    .header('content-length', file.bytes)
    .type(file.media_type)
  return reply.send(file.open())
}

let reserved: Set<string> | undefined

const firstSegment = (path: string): string => path.split('/', 2)[1] ?? ''

/** Whether the first segment of the path belongs to the API. */
function isReserved(path: string): boolean {
  reserved ??= new Set(['assets', ...operations.map((operation) => firstSegment(operation.path))])
  return reserved.has(firstSegment(path))
}
