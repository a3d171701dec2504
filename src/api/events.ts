import { Readable } from 'node:stream'
import { negotiate } from '../contract/accept.ts'
import type { components } from '../contract/openapi.ts'
import type { Query } from '../contract/operations.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import { parseFilter } from '../events/filters.ts'
import * as store from '../events/list.ts'
import { conditionOf, rows } from '../events/rows.ts'
import { isoOf } from '../events/time.ts'
import { customEventNames, propertyValues, type RecentQuery } from '../events/values.ts'
import { createYielder } from '../events/yield.ts'
import { csvRow } from './csv.ts'
import { type Area, type HandlerContext, RawResponse } from './handler-context.ts'
import { givenFor, several } from './query.ts'
import { parseMoment } from './time.ts'
import * as wire from './wire.ts'

type EventRecord = components['schemas']['Event']

const PAGE_SIZE = 100
const CSV_PAGE_SIZE = 3_500
/** How many events are in memory at once; a longer page goes out as a stream of such pieces. */
const PIECE = 1_000
/** The size of a chunk, and the size from which a response is streamed. */
const CHUNK_LENGTH = 128 * 1024
const STREAMED_LENGTH = 1024 * 1024
/** Clocks differ: what claims to have happened a moment from now is let through. */
const AHEAD_MICROSECONDS = 5_000_000
const RECENT_DAYS = 7
/** How many of the latest events a sample of every field is taken from, and how many values of each it shows. */
const SAMPLED_EVENTS = 100
const SAMPLED_VALUES = 10
const UNSUPPORTED_PARAMETERS = {
  action_id: 'There are no saved actions to filter by. Remove "action_id" and use "event", "properties" or "where".',
  token: 'The project is the one in the path. Remove "token".',
}
/** Since when the list is deprecated, as RFC 9745 writes it. */
const DEPRECATION = { deprecation: '@1704067200' }

export const events = ({ eventReader, now, log, config: { DIALECT } }: Deps): Area<'events'> => {
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
        refuseUnsupported(call.query)
        const csv = wantsCsv(call)
        const limit = call.query.limit ?? (csv ? CSV_PAGE_SIZE : PAGE_SIZE)
        if (several(call.query, 'select')) return selected(call, limit, csv)
        const query = listQuery(call, now())
        // Read before anything is answered, so that what goes wrong here is an error and not half a page.
        const first = await store.page(eventReader, query, Math.min(limit, PIECE))
        const all = pieces(query, limit, first)
        const text = csv
          ? csvOf(all)
          : jsonOf(
              all,
              (row) => wire.eventText(row, DIALECT),
              ({ timestamp, uuid }) => nextUrl(call, query, `${timestamp}_${uuid}`),
            )
        return written(text, csv, query.signal)
      },

      'events.retrieve': async ({ project: { id: project_id }, params, query, accept, signal }) => {
        const uuid = uuidOf(params.id)
        if (!uuid) throw notFound()
        const withPerson = query.include_person ?? true
        const found = await store.get(eventReader, { project_id, uuid, withPerson, signal })
        if (!found) throw notFound()
        return wantsCsv({ query, accept })
          ? csv('event', wire.EVENT_FIELDS, [wire.event(found)])
          : new RawResponse('application/json', wire.eventText(found, DIALECT))
      },

      'events.values': async ({ project: { id: project_id }, query, accept, signal }) => {
        const recent: RecentQuery = {
          project_id,
          after: parseMoment(`-${RECENT_DAYS}dStart`, 'after', now()) - 1,
          before: parseMoment(now(), 'before', now()) + AHEAD_MICROSECONDS,
          names: several(query, 'event_name'),
          signal,
        }
        if (query.key === undefined) {
          const sample = await sampleOf(recent)
          return wantsCsv({ query, accept })
            ? csv('values', wire.EVENT_FIELDS, [sample])
            : new RawResponse('application/json', wire.valuesText(sample, DIALECT))
        }
        const found =
          query.key === 'custom_event'
            ? await customEventNames(eventReader, recent, query.value)
            : await propertyValues(eventReader, recent, query.key, query.value)
        return wantsCsv({ query, accept }) ? csv('values', ['name', 'count'], found) : found
      },
    },
  }

  /** Rows of the caller's own columns instead of events. */
  async function selected(call: ListCall, limit: number, csv: boolean): Promise<RawResponse> {
    const time = now()
    const { query } = call
    const offset = query.cursor === undefined ? (query.offset ?? 0) : offsetIn(query.cursor)
    const scope = { ...scopeOf(call, time), offset }
    const found = await rows(
      eventReader,
      {
        ...scope,
        select: several(query, 'select')!.filter((text) => text.trim() !== ''),
        where: several(query, 'where') ?? [],
        filter: parseFilter(givenFor(query, 'properties') ?? [], microseconds(time)),
        orderBy: several(query, 'orderBy') ?? [],
        now: microseconds(time),
      },
      limit,
    )
    const { columns, types, resultOf } = found
    const next = found.more ? nextUrl(call, scope, `${offset + limit}`) : null
    const head = JSON.stringify({ next, columns, types }).slice(0, -1)
    const text = csv
      ? rowTexts(csvRow(columns), found.rows, (row) => csvRow(resultOf(row).map(cellText)), '', '')
      : rowTexts(`${head},"results":[`, found.rows, (row) => JSON.stringify(resultOf(row)), ',', ']}')
    return written(text, csv, call.signal)
  }

  /** Sends a short response with its length and streams a long one. */
  async function written(texts: AsyncGenerator<string>, csv: boolean, signal?: AbortSignal): Promise<RawResponse> {
    const headers = { ...DEPRECATION, ...(csv && attachment('events')) }
    const type = csv ? 'text/csv' : 'application/json'
    let start = ''
    while (start.length < STREAMED_LENGTH) {
      const { done, value } = await texts.next()
      if (done) return new RawResponse(type, start, headers)
      start += value
    }
    const body = Readable.from(continued(start, texts))
    // An error breaks the connection, so a truncated page never looks complete.
    body.on('error', (error) => {
      if (!signal?.aborted) log.error({ err: error }, 'a list of events broke off')
    })
    return new RawResponse(type, body, headers)
  }

  /** For each field the different values it has in the latest events, as JSON text of a list. */
  async function sampleOf(recent: RecentQuery): Promise<EventRecord> {
    const query = { ...recent, oldestFirst: false, offset: 0, withPerson: true }
    const breathe = createYielder()
    const records: EventRecord[] = []
    for (const row of (await store.page(eventReader, query, SAMPLED_EVENTS)).rows) {
      records.push(wire.event(row))
      await breathe()
    }
    const listOf = (field: keyof EventRecord): [string, string] => {
      const holdsJson = wire.JSON_FIELDS.includes(field)
      const texts = records.map((record) => (holdsJson ? record[field] : JSON.stringify(record[field])))
      return [field, `[${[...new Set(texts)].slice(0, SAMPLED_VALUES).join(',')}]`]
    }
    return Object.fromEntries(wire.EVENT_FIELDS.map(listOf)) as EventRecord
  }
}

type Piece = Awaited<ReturnType<typeof store.page>>
type Pieces = AsyncGenerator<store.ListedEvent[], store.ListCursor | null>
type ListCall = HandlerContext<'events.list'>

/** Ignoring them would return more events than requested. */
function refuseUnsupported(query: Query<'events.list'>): void {
  for (const [name, detail] of Object.entries(UNSUPPORTED_PARAMETERS))
    if (givenFor(query, name)) throw new AppError({ code: 'unsupported_parameter', detail, attr: name })
}

function listQuery(call: ListCall, now: string): store.ListQuery {
  const { query } = call
  const from = query.cursor === undefined ? undefined : positionIn(query.cursor)
  const filter = parseFilter(givenFor(query, 'properties') ?? [], microseconds(now))
  return {
    ...scopeOf(call, now),
    condition: conditionOf(filter, several(query, 'where') ?? [], microseconds(now)),
    oldestFirst: oldestFirst(query),
    // A cursor stands after what an offset passed over.
    offset: from ? 0 : (query.offset ?? 0),
    from,
    withPerson: query.include_person ?? true,
  }
}

const microseconds = (now: string): number => Date.parse(now) * 1000

/** Which events a call is about, before any filter looks into them. */
function scopeOf({ query, project, signal }: ListCall, now: string) {
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
    signal,
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
function nextUrl(
  { url, query }: ListCall,
  { after, before }: { after?: number; before: number },
  position: string,
): string {
  const parameters = new URLSearchParams(url.search)
  parameters.delete('offset')
  if (query.after) parameters.set('after', isoOf(after!))
  // Rows that are counted stay in their places only while no newer event comes before them.
  if (query.before || /^\d+$/.test(position)) parameters.set('before', isoOf(before))
  parameters.set('cursor', Buffer.from(position).toString('base64url'))
  return `${url.origin}${url.path}?${parameters}`
}

const noCursor = () =>
  invalid('cursor', 'This is not a cursor that this server gave. Take the whole address from "next".')

/** Rows that are grouped or ordered by anything have no place of their own, so their cursor counts them. */
function offsetIn(cursor: string): number {
  const text = Buffer.from(cursor, 'base64url').toString()
  if (!/^\d{1,15}$/.test(text)) throw noCursor()
  return Number(text)
}

function positionIn(cursor: string): store.ListCursor {
  const [, timestamp, uuid] = /^(-?\d{1,16})_([0-9a-f-]{36})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (timestamp === undefined || uuid === undefined) throw noCursor()
  return { timestamp: Number(timestamp), uuid }
}

/** The one form a UUID is stored in; undefined for what is none. Braces and `urn:uuid:` are written by some. */
function uuidOf(text: string): string | undefined {
  const digits = /^(?:urn:uuid:|\{)?([0-9a-f-]{32,36})\}?$/i.exec(text)?.[1]?.replaceAll('-', '').toLowerCase()
  return digits?.length === 32 ? digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') : undefined
}

const OFFERED = ['application/json', 'text/csv'] as const

const wantsCsv = ({ query, accept }: { query: { format?: 'csv' | 'json' }; accept: string | undefined }): boolean =>
  query.format === undefined ? negotiate(accept, OFFERED) === 'text/csv' : query.format === 'csv'

async function* jsonOf(
  pieces: Pieces,
  write: (row: store.ListedEvent) => string,
  urlOf: (position: store.ListCursor) => string,
): AsyncGenerator<string> {
  yield '{"results":['
  let before = ''
  for (;;) {
    const { done, value } = await pieces.next()
    if (done) return yield `],"next":${JSON.stringify(value && urlOf(value))}}`
    // What a purge has taken away meanwhile leaves a piece empty, and no comma before it.
    if (value.length === 0) continue
    yield* rowTexts(before, value, write, ',', '')
    before = ','
  }
}

async function* csvOf(pieces: Pieces): AsyncGenerator<string> {
  yield csvRow(wire.EVENT_FIELDS)
  for await (const rows of pieces)
    yield* rowTexts('', rows, (row) => csvRow(cellsOf(wire.EVENT_FIELDS, wire.event(row))), '', '')
}

/** Writes rows in chunks and yields to other requests, because an event may have a megabyte. */
async function* rowTexts<Row>(
  head: string,
  rows: readonly Row[],
  write: (row: Row) => string,
  between: string,
  tail: string,
): AsyncGenerator<string> {
  const breathe = createYielder()
  let text = head
  for (const [i, row] of rows.entries()) {
    text += (i ? between : '') + write(row)
    if (text.length >= CHUNK_LENGTH) {
      yield text
      text = ''
    }
    const pause = breathe()
    if (pause) await pause
  }
  yield text + tail
}

async function* continued(start: string, texts: AsyncGenerator<string>): AsyncGenerator<string> {
  yield start
  yield* texts
}

function csv<Item extends object>(name: string, fields: readonly (keyof Item & string)[], items: Item[]): RawResponse {
  const text = csvRow(fields) + items.map((item) => csvRow(cellsOf(fields, item))).join('')
  return new RawResponse('text/csv', text, attachment(name))
}

const cellsOf = <Item extends object>(fields: readonly (keyof Item)[], item: Item): string[] =>
  fields.map((field) => String(item[field]))

const cellText = (value: unknown): string =>
  value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)

const attachment = (name: string) => ({ 'content-disposition': `attachment; filename="${name}.csv"` })
