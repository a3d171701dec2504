/** Imports into a project of a server, with its API and the token of the project. */
import { promisify } from 'node:util'
import { gzip as gzipWithCallback } from 'node:zlib'
import type { Variables } from '../../config.ts'
import type { NewEvent } from '../../events/normalize-event.ts'
import { isoOf } from '../../events/time.ts'
import { MAX_VALUES } from '../../events/token-scan.ts'
import { requireBounded } from '../../json/scan.ts'
import { type Body, get, isBody, readJson, request, rowsOf } from '../client.ts'
import { type Connection, type ConnectionOptions, connect } from '../connection.ts'
import { commandError, EXIT } from '../failure.ts'
import { operationNamed } from '../inputs.ts'
import { type ScopeFlags, scopeId } from '../names.ts'
import { singleLine } from '../print.ts'
import type { Stored, Target } from './target.ts'

/** Far below the 20 MiB that the server accepts. An event takes at most 5 MiB of them. */
const MAX_BODY_CHARACTERS = 4 * 1024 * 1024

/** The limit of the server, and the fields around the events. */
const MAX_BODY_VALUES = MAX_VALUES - 10
const UNACCEPTABLE = 'The event is nested too deep or has too many values.'

interface Options extends ConnectionOptions, ScopeFlags {
  dryRun?: boolean
}

const gzip = promisify(gzipWithCallback)

export async function remoteTarget(variables: Variables, options: Options): Promise<Target> {
  const server = connect(operationNamed('projects.retrieve'), variables, options)
  const chosen = (await scopeId('project', server, options, variables)) ?? '@current'
  const project = await get(server, `/api/projects/${encodeURIComponent(chosen)}/`)
  const { id, uuid, name, api_token } = project
  if (typeof id !== 'number' || typeof uuid !== 'string' || typeof api_token !== 'string')
    throw commandError(
      EXIT.failed,
      `${server.url} responds with an unexpected body. Check that it is a workspace-admin server.`,
    )
  const before = options.dryRun ? null : await countEvents(server, id)
  let sent = 0
  const store = async (events: NewEvent[]): Promise<Stored> => {
    const refused = options.dryRun ? [] : await sendEvents(server, api_token, events)
    sent += events.length - refused.length
    return { stored: events.length - refused.length, already_there: 0, dropped: 0, refused }
  }
  return {
    place: `project ${singleLine(name)} (${id}) of ${server.url}`,
    project: { id, uuid },
    now: Math.round(performance.timeOrigin + performance.now()) * 1000,
    begin: async () => ({ keepsSent: true, store }),
    finish: async () => {
      const after = before === null ? null : await countEvents(server, id)
      if (before === null || after === null) return { already_there: null }
      return { already_there: Math.max(0, Math.min(sent, sent - (after - before))) }
    },
  }
}

/** Null if the key may not query events. */
async function countEvents(server: Connection, project_id: number): Promise<number | null> {
  const query = { kind: 'HogQLQuery', query: 'select count() from events' }
  const outgoing = { method: 'POST', path: `/api/projects/${project_id}/query/`, body: { query } }
  const response = await request(server, outgoing, { persistent: true }).catch((error) => {
    if (Object(error).exit === EXIT.not_allowed || Object(error).exit === EXIT.refused) return undefined
    throw error
  })
  const body = response && (await readJson(server, response))
  const count = rowsOf(body)[0]?.['count()']
  return typeof count === 'number' ? count : null
}

async function sendEvents(server: Connection, token: string, events: readonly NewEvent[]): Promise<Stored['refused']> {
  const head = `{"api_key":${JSON.stringify(token)},"historical_migration":true,"batch":[`
  const refused: Stored['refused'] = []
  let [texts, characters, values, first]: [string[], number, number, number] = [[], 0, 0, 0]
  const flush = async (next: number): Promise<void> => {
    if (texts.length) {
      const body = await post(server, await gzip(`${head}${texts.join(',')}]}`))
      refused.push(...refusedIn(body, first))
    }
    texts = []
    characters = 0
    values = 0
    first = next
  }
  for (const [i, event] of events.entries()) {
    const text = sentText(event)
    const added = valuesInBody(text)
    if (added === undefined) {
      await flush(i + 1)
      refused.push({ index: i, reason: UNACCEPTABLE })
      continue
    }
    if (characters + text.length > MAX_BODY_CHARACTERS || values + added > MAX_BODY_VALUES) await flush(i)
    texts.push(text)
    characters += text.length
    values += added
  }
  await flush(events.length)
  return refused
}

/** The number of values that an event adds to a body. Undefined if no server accepts a body with this event. */
function valuesInBody(text: string): number | undefined {
  try {
    return requireBounded(Buffer.from(`[[${text}]]`), MAX_BODY_VALUES)
  } catch {
    return undefined
  }
}

/** The token of the project is in the body. The server stores no event twice, so the request may be repeated. */
async function post({ url }: Connection, packed: Buffer): Promise<unknown> {
  const server = { url, key: undefined }
  return readJson(server, await request(server, { method: 'POST', path: '/batch/', packed }, { persistent: true }))
}

function refusedIn(body: unknown, first: number): Stored['refused'] {
  const refused: unknown = isBody(body) ? body.refused : undefined
  if (!Array.isArray(refused)) return []
  return refused
    .filter((one): one is Body => isBody(one) && typeof one.index === 'number')
    .map(({ index, detail }) => ({ index: first + Number(index), reason: singleLine(detail) }))
}

/** The event as it was read, with its uuid and its time. */
function sentText({ uuid, event, distinct_id, timestamp, sent }: NewEvent): string {
  if (sent === undefined) throw new Error(`The event ${uuid} was read without its sent fields.`)
  const fields = JSON.stringify({ uuid, event, distinct_id, timestamp: isoOf(timestamp) })
  const others = sent.others === '{}' ? '' : `,${sent.others.slice(1, -1)}`
  return `${fields.slice(0, -1)}${others},"properties":${sent.properties}}`
}
