import { Readable } from 'node:stream'
import type { components } from '../contract/openapi.ts'
import type { Query } from '../contract/operations.ts'
import type { Deps } from '../deps.ts'
import { invalid, notFound } from '../errors.ts'
import * as store from '../events/list.ts'
import { customEvents, type RecentQuery, valuesOf } from '../events/values.ts'
import { type Area, type Call, Written } from './call.ts'
import { csvRow, prefersCsv } from './csv.ts'
import { several } from './query.ts'
import { momentText, parseMoment } from './time.ts'
import * as wire from './wire.ts'

type EventRecord = components['schemas']['Event']

const PAGE_SIZE = 100
const CSV_PAGE_SIZE = 3_500
/** How many events are in memory at once; a longer page goes out as a stream of such pieces. */
const PIECE = 1_000
/** Clocks differ: what claims to have happened a moment from now is let through. */
const AHEAD_MICROSECONDS = 5_000_000
const RECENT_DAYS = 7
/** How many of the latest events a sample of every field is taken from, and how many values of each it shows. */
const SAMPLED_EVENTS = 100
const SAMPLED_VALUES = 10
/** Since when the list is deprecated, as RFC 9745 writes it. */
const DEPRECATION = { deprecation: '@1704067200' }

export const events = ({ eventReader, now, log }: Deps): Area<'events'> => {
  /** Piece after piece, as many events as the limit lets through; returns where the page ended. */
  async function* pieces(query: store.ListQuery, limit: number, first: Piece): Pieces {
    let { rows, next } = first
    for (let left = limit; ; ) {
      yield rows
      left -= rows.length
      if (left === 0 || next === null) return next
      const rest = { ...query, offset: 0, from: next }
      ;({ rows, next } = await store.page(eventReader, rest, Math.min(left, PIECE)))
    }
  }

  return {
    operations: {
      'events.list': async (call) => {
        const query = listQuery(call, now())
        const csv = wantsCsv(call)
        const limit = call.query.limit ?? (csv ? CSV_PAGE_SIZE : PAGE_SIZE)
        // Read before anything is answered, so that what goes wrong here is an error and not half a page.
        const first = await store.page(eventReader, query, Math.min(limit, PIECE))
        const all = pieces(query, limit, first)
        const text = csv ? csvOf(all) : jsonOf(all, (position) => nextUrl(call, query, position))
        const headers = { ...DEPRECATION, ...(csv && attachment('events')) }
        const type = csv ? 'text/csv' : 'application/json'
        if (limit <= PIECE || first.next === null) return new Written(type, await joined(text), headers)
        const body = Readable.from(text)
        // The caller sees a connection that breaks off, never a page that looks complete.
        body.on('error', (error) => {
          if (!query.signal?.aborted) log.error({ err: error }, 'a list of events broke off')
        })
        return new Written(type, body, headers)
      },

      'events.retrieve': async ({ project: { id: project_id }, params, query, accept, signal }) => {
        const uuid = uuidOf(params.id)
        if (!uuid) throw notFound()
        const withPerson = query.include_person ?? true
        const found = await store.get(eventReader, { project_id, uuid, withPerson, signal: signal() })
        if (!found) throw notFound()
        const record = wire.event(found)
        return wantsCsv({ query, accept }) ? csv('event', wire.EVENT_FIELDS, [record]) : record
      },

      'events.values': async ({ project: { id: project_id }, query, accept, signal }) => {
        const recent: RecentQuery = {
          project_id,
          after: parseMoment(`-${RECENT_DAYS}dStart`, 'after', now()) - 1,
          before: parseMoment(now(), 'before', now()) + AHEAD_MICROSECONDS,
          names: several(query, 'event_name'),
          signal: signal(),
        }
        if (query.key === undefined) {
          const sample = await sampleOf(recent)
          return wantsCsv({ query, accept }) ? csv('values', wire.EVENT_FIELDS, [sample]) : sample
        }
        const found =
          query.key === 'custom_event'
            ? await customEvents(eventReader, recent, query.value)
            : await valuesOf(eventReader, recent, query.key, query.value)
        return wantsCsv({ query, accept }) ? csv('values', ['name', 'count'], found) : found
      },
    },
  }

  /** For each field the different values it has in the latest events, as JSON text of a list. */
  async function sampleOf(recent: RecentQuery): Promise<EventRecord> {
    const query = { ...recent, oldestFirst: false, offset: 0, withPerson: true }
    const records = (await store.page(eventReader, query, SAMPLED_EVENTS)).rows.map(wire.event)
    const listOf = (field: keyof EventRecord): [string, string] => {
      const holdsJson = field === 'properties' || field === 'person' || field === 'elements'
      const texts = records.map((record) => (holdsJson ? record[field] : JSON.stringify(record[field])))
      return [field, `[${[...new Set(texts)].slice(0, SAMPLED_VALUES).join(',')}]`]
    }
    return Object.fromEntries(wire.EVENT_FIELDS.map(listOf)) as EventRecord
  }
}

type Piece = Awaited<ReturnType<typeof store.page>>
type Pieces = AsyncGenerator<store.EventRow[], store.Position | null>
type ListCall = Call<'events.list'>

function listQuery({ query, project, signal }: ListCall, now: string): store.ListQuery {
  const from = query.cursor === undefined ? undefined : positionIn(query.cursor)
  const names = several(query, 'event')?.filter((name) => name !== '')
  return {
    project_id: project.id,
    after: query.after ? parseMoment(query.after, 'after', now) : undefined,
    before: query.before
      ? parseMoment(query.before, 'before', now)
      : parseMoment(now, 'before', now) + AHEAD_MICROSECONDS,
    names: names && [...new Set(names)],
    distinct_id: query.distinct_id,
    person_id: query.person_id === undefined ? undefined : (uuidOf(query.person_id) ?? query.person_id),
    oldestFirst: oldestFirst(query),
    // A cursor stands after what an offset passed over.
    offset: from ? 0 : (query.offset ?? 0),
    from,
    withPerson: query.include_person ?? true,
    signal: signal(),
  }
}

function oldestFirst(query: Query<'events.list'>): boolean {
  const given = several(query, 'orderBy')?.filter((entry) => entry !== '') ?? []
  const [entry = '-timestamp'] = given
  if (given.length > 1 || !/^-?timestamp$/.test(entry))
    throw invalid('orderBy', 'Events are ordered by time: send "orderBy" as "-timestamp" or "timestamp".')
  return entry === 'timestamp'
}

/** The next page: the same question, its times fixed to what they meant now, from where this page ended. */
function nextUrl({ url, query }: ListCall, { after, before }: store.ListQuery, position: store.Position): string {
  const parameters = new URLSearchParams(url.search)
  parameters.delete('offset')
  if (query.after) parameters.set('after', momentText(after!))
  if (query.before) parameters.set('before', momentText(before))
  parameters.set('cursor', Buffer.from(`${position.timestamp}_${position.uuid}`).toString('base64url'))
  return `${url.origin}${url.path}?${parameters}`
}

function positionIn(cursor: string): store.Position {
  const [, timestamp, uuid] = /^(-?\d{1,16})_([0-9a-f-]{36})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (timestamp === undefined || uuid === undefined)
    throw invalid('cursor', 'This is not a cursor that this server gave. Take the whole address from "next".')
  return { timestamp: Number(timestamp), uuid }
}

/** The one form a UUID is stored in; undefined for what is none. Braces and `urn:uuid:` are written by some. */
function uuidOf(text: string): string | undefined {
  const digits = /^(?:urn:uuid:|\{)?([0-9a-f-]{32,36})\}?$/i.exec(text)?.[1]?.replaceAll('-', '').toLowerCase()
  return digits?.length === 32 ? digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') : undefined
}

const wantsCsv = ({ query, accept }: { query: { format?: 'csv' | 'json' }; accept: string | undefined }): boolean =>
  query.format === undefined ? prefersCsv(accept) : query.format === 'csv'

async function* jsonOf(pieces: Pieces, urlOf: (position: store.Position) => string): AsyncGenerator<string> {
  let before = '{"results":['
  const next = yield* mapped(pieces, (rows) => {
    // What a purge has taken away meanwhile leaves a piece empty, and no comma before it.
    if (rows.length === 0 && before === ',') return ''
    const text = before + rows.map((row) => JSON.stringify(wire.event(row))).join(',')
    before = ','
    return text
  })
  yield `],"next":${JSON.stringify(next && urlOf(next))}}`
}

async function* csvOf(pieces: Pieces): AsyncGenerator<string> {
  yield csvRow(wire.EVENT_FIELDS)
  yield* mapped(pieces, (rows) => rows.map((row) => csvRow(cellsOf(wire.EVENT_FIELDS, wire.event(row)))).join(''))
}

/** What a loop would not hand on: the value that the last piece returns with. */
async function* mapped(
  pieces: Pieces,
  write: (rows: store.EventRow[]) => string,
): AsyncGenerator<string, store.Position | null> {
  for (;;) {
    const { done, value } = await pieces.next()
    if (done) return value
    yield write(value)
  }
}

function csv<Item extends object>(name: string, fields: readonly (keyof Item & string)[], items: Item[]): Written {
  const text = csvRow(fields) + items.map((item) => csvRow(cellsOf(fields, item))).join('')
  return new Written('text/csv', text, attachment(name))
}

const cellsOf = <Item extends object>(fields: readonly (keyof Item)[], item: Item): string[] =>
  fields.map((field) => String(item[field]))

const attachment = (name: string) => ({ 'content-disposition': `attachment; filename="${name}.csv"` })

async function joined(texts: AsyncIterable<string>): Promise<string> {
  let all = ''
  for await (const text of texts) all += text
  return all
}
