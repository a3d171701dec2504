import type { Query } from '../contract/operations.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import { combine, equalsAnyCase, parseFilter } from '../events/filters.ts'
import { histogram, intervalFor, intervalsOf } from '../events/histogram.ts'
import * as store from '../events/list.ts'
import type { EventReader } from '../events/readers.ts'
import { conditionOf, rows } from '../events/rows.ts'
import { tail } from '../events/tail.ts'
import { isoOf } from '../events/time.ts'
import { customEventNames, eventNames, propertyNames, propertyValues, type RecentQuery } from '../events/values.ts'
import { epochMicroseconds } from '../time/stored.ts'
import { cellText, csvRow } from './csv.ts'
import {
  offsetCursor,
  parseOffset,
  parsePosition,
  parseTailCursor,
  positionCursor,
  tailCursor,
} from './event-cursors.ts'
import { EVENT_FIELDS, type EventRecord, eventJson, JSON_FIELDS, recordJson, serializeEvent } from './event-record.ts'
import { type Batches, csvChunks, csvFile, eventCsv, jsonChunks, respond, wantsCsv } from './event-responses.ts'
import { type Area, type HandlerContext, RawResponse } from './handler-context.ts'
import { queryList, rawQueryValues, urlWith } from './query-parameters.ts'
import { joinOrStream, textChunks } from './text-chunks.ts'
import { parseMoment } from './time.ts'

const PAGE_SIZE = 100
const CSV_PAGE_SIZE = 3_500
/** The number of events in memory. A longer page is read and streamed in batches. */
const BATCH_SIZE = 1_000
/** Tolerates clocks that are ahead of the server. */
const CLOCK_SKEW_MICROSECONDS = 5_000_000
const RECENT_RANGE = '-7dStart'
/** The number of recent events that a sample reads, and the number of values per field that it returns. */
const SAMPLED_EVENTS = 100
const SAMPLED_VALUES = 10
const HISTOGRAM_RANGE = '-24h'
const MAX_INTERVALS = 1_000
const NAMES_RANGE = '-30d'
const UNSUPPORTED_PARAMETERS = {
  action_id: 'Saved actions are not supported. Remove "action_id" and use "event", "properties" or "where".',
  token: 'The path selects the project. Remove "token".',
}

export const events = (deps: Deps): Area<'events'> => {
  const { events: db, eventReader, now, log } = deps
  const { DIALECT } = deps.config
  return {
    operations: {
      'events.list': async (call) => {
        rejectUnsupported(call.query)
        const csv = wantsCsv(call)
        const limit = call.query.limit ?? (csv ? CSV_PAGE_SIZE : PAGE_SIZE)
        const select = queryList(call.query, 'select')
        if (select) return selectRows(deps, call, select, limit, csv)
        const query = listQuery(call, now())
        const write: WriteEvent = csv ? eventCsv : (event) => eventJson(event, DIALECT)
        // Read the first batch before responding, so that an error has its own status.
        const first = await store.page(eventReader, query, Math.min(limit, BATCH_SIZE), write)
        const batches = readBatches(eventReader, query, limit, write, first)
        const chunks = csv ? csvChunks(batches) : jsonChunks(batches, (position) => nextUrl(call, query, { position }))
        return respond(log, chunks, csv, query.signal)
      },

      'events.retrieve': async ({ project: { id: project_id }, params, query, headers, signal }) => {
        const uuid = parseUuid(params.id)
        if (!uuid) throw notFound()
        const withPerson = query.include_person ?? true
        const found = await store.get(eventReader, { project_id, uuid, withPerson, signal })
        if (!found) throw notFound()
        return wantsCsv({ query, headers })
          ? csvFile('event', EVENT_FIELDS, [serializeEvent(found)])
          : new RawResponse('application/json', eventJson(found, DIALECT))
      },

      'events.histogram': async (call) => {
        const time = now()
        const scope = scopeOf(call, time)
        const after = scope.after ?? parseMoment(HISTOGRAM_RANGE, 'after', time)
        const { before } = scope
        const interval = call.query.interval ?? intervalFor(after, before)
        const intervals = intervalsOf({ after, before, interval })
        if (intervals.count > MAX_INTERVALS)
          throw invalid(
            'interval',
            `The time range has more than ${MAX_INTERVALS} intervals. Use a longer interval or a shorter time range.`,
          )
        const { cursor } = call.query
        const found = await histogram(eventReader, {
          ...scope,
          after,
          interval,
          condition: filterOf(call, time),
          from: cursor === undefined ? undefined : parsePosition(cursor),
        })
        const times = { after: isoOf(after), before: isoOf(before) }
        return {
          interval,
          ...times,
          exact: found.exact,
          progress: found.progress,
          // Relative times and a default interval stay as they are now.
          next: found.next && urlWith(call.url, { ...times, interval, cursor: positionCursor(found.next) }),
          results: Array.from({ length: intervals.count }, (_, i) => ({
            start: isoOf(intervals.first + i * intervals.length),
            count: found.counts.get(i) ?? 0,
          })),
        }
      },

      'events.tail': async (call) => {
        const { cursor, limit = PAGE_SIZE, include_person: withPerson = true } = call.query
        const query = { ...subjectOf(call), condition: filterOf(call, now()), withPerson }
        const from = cursor === undefined ? undefined : parseTailCursor(cursor)
        const found = await tail(db, eventReader, { ...query, ...(from && { from }) }, limit)
        const head = JSON.stringify({
          cursor: tailCursor(found.cursor),
          more: found.more,
        }).slice(0, -1)
        const parts = { head: `${head},"results":[`, separator: ',', tail: ']}' }
        const chunks = textChunks(found.rows, (row) => eventJson(row, DIALECT), parts)
        return new RawResponse('application/json', await joinOrStream(chunks))
      },

      'events.names': async ({ project, query, signal }) => {
        const recent = recentEvents(now(), project.id, query.after ?? NAMES_RANGE, { signal })
        const { exact, names } = await eventNames(eventReader, recent, namesOf(query))
        return { exact, results: names }
      },

      'events.property_names': async ({ project, query, signal }) => {
        const recent = recentEvents(now(), project.id, RECENT_RANGE, { names: queryList(query, 'event'), signal })
        const results = await propertyNames(eventReader, recent, { type: query.type ?? 'event', ...namesOf(query) })
        return { exact: false, results }
      },

      'events.values': async ({ project: { id: project_id }, query, headers, signal }) => {
        const time = now()
        const selection = { names: queryList(query, 'event_name'), condition: propertyCondition(query, time), signal }
        const recent = recentEvents(time, project_id, RECENT_RANGE, selection)
        if (query.key === undefined) {
          const sample = await sampleEvents(eventReader, recent)
          return wantsCsv({ query, headers })
            ? csvFile('values', EVENT_FIELDS, [sample])
            : new RawResponse('application/json', recordJson(sample, EVENT_FIELDS, DIALECT))
        }
        const found =
          query.key === 'custom_event'
            ? await customEventNames(eventReader, recent, query.value)
            : await propertyValues(eventReader, recent, query.key, query.value)
        return wantsCsv({ query, headers }) ? csvFile('values', ['name', 'count'], found) : found
      },
    },
  }
}

type WriteEvent = (event: store.ListedEvent) => string
type TextPage = Awaited<ReturnType<typeof store.page<string>>>
type ListCall = HandlerContext<'events.list'>
type HistogramCall = HandlerContext<'events.histogram'>
type TailCall = HandlerContext<'events.tail'>

/** Reads up to `limit` events in batches, each as text. Returns the position of the next page. */
async function* readBatches(
  reader: EventReader,
  query: store.ListQuery,
  limit: number,
  write: WriteEvent,
  first: TextPage,
): Batches {
  let { items, next } = first
  for (let remaining = limit; ; ) {
    yield items
    remaining -= items.length
    if (remaining === 0 || next === null) return next
    const rest = { ...query, offset: 0, from: next }
    ;({ items, next } = await store.page(reader, rest, Math.min(remaining, BATCH_SIZE), write))
  }
}

function recentEvents(
  now: string,
  project_id: number,
  after: string,
  rest: Pick<RecentQuery, 'names' | 'condition' | 'signal'>,
): RecentQuery {
  const before = epochMicroseconds(now) + CLOCK_SKEW_MICROSECONDS
  return { project_id, after: parseMoment(after, 'after', now) - 1, before, ...rest }
}

const PROPERTY_PREFIX = 'properties_'
const MAX_PROPERTY_FILTERS = 100

/** The condition of the parameters `properties_<key>`. */
function propertyCondition(query: Query<'events.values'>, now: string): store.Condition | undefined {
  const named = Object.keys(query).filter((name) => name.startsWith(PROPERTY_PREFIX))
  const names = new Set(named.map((name) => name.replace(/\[\d*\]$/, '')))
  if (names.size > MAX_PROPERTY_FILTERS)
    throw invalid(PROPERTY_PREFIX, `Send at most ${MAX_PROPERTY_FILTERS} filters on properties.`, 'max_length')
  const filters = [...names].map((name) => {
    const key = name.slice(PROPERTY_PREFIX.length)
    if (key === '') throw invalid(name, 'Append the name of a property to "properties_".')
    return equalsAnyCase(key, queryList(query, name) ?? [])
  })
  return conditionOf(combine('and', filters), [], epochMicroseconds(now))
}

/** Returns rows with the columns in `select` instead of events. */
async function selectRows(
  { eventReader, now, log }: Pick<Deps, 'eventReader' | 'now' | 'log'>,
  call: ListCall,
  select: readonly string[],
  limit: number,
  csv: boolean,
): Promise<RawResponse> {
  const time = now()
  const { query } = call
  const offset = query.cursor === undefined ? (query.offset ?? 0) : parseOffset(query.cursor)
  const scope = { ...scopeOf(call, time), offset }
  const found = await rows(
    eventReader,
    {
      ...scope,
      select: select.filter((text) => text.trim() !== ''),
      where: queryList(query, 'where') ?? [],
      filter: parseFilter(rawQueryValues(query, 'properties') ?? [], epochMicroseconds(time)),
      orderBy: queryList(query, 'orderBy') ?? [],
      now: epochMicroseconds(time),
    },
    limit,
  )
  const { columns, types, resultOf } = found
  const next = found.more ? nextUrl(call, scope, { offset: offset + limit }) : null
  const head = `${JSON.stringify({ next, columns, types }).slice(0, -1)},"results":[`
  const chunks = csv
    ? textChunks(found.rows, (row) => csvRow(resultOf(row).map(cellText)), { head: csvRow(columns) })
    : textChunks(found.rows, (row) => JSON.stringify(resultOf(row)), { head, separator: ',', tail: ']}' })
  return respond(log, chunks, csv, scope.signal)
}

/** The distinct values of every field in recent events, each as the JSON text of a list. */
async function sampleEvents(reader: EventReader, recent: RecentQuery): Promise<EventRecord> {
  const query = { ...recent, oldestFirst: false, offset: 0, withPerson: true }
  const { items: records } = await store.page(reader, query, SAMPLED_EVENTS, serializeEvent)
  const valuesIn = (field: keyof EventRecord): string => {
    const isJson = JSON_FIELDS.includes(field)
    const texts = records.map((record) => (isJson ? record[field] : JSON.stringify(record[field])))
    return `[${[...new Set(texts)].slice(0, SAMPLED_VALUES).join(',')}]`
  }
  return {
    id: valuesIn('id'),
    distinct_id: valuesIn('distinct_id'),
    properties: valuesIn('properties'),
    event: valuesIn('event'),
    timestamp: valuesIn('timestamp'),
    person: valuesIn('person'),
    elements: valuesIn('elements'),
    elements_chain: valuesIn('elements_chain'),
  }
}

/** Ignoring these parameters would return more events than requested. */
function rejectUnsupported(query: Query<'events.list'>): void {
  for (const [name, detail] of Object.entries(UNSUPPORTED_PARAMETERS))
    if (rawQueryValues(query, name)) throw new AppError({ code: 'unsupported_parameter', detail, attr: name })
}

function listQuery(call: ListCall, now: string): store.ListQuery {
  const { query } = call
  const from = query.cursor === undefined ? undefined : parsePosition(query.cursor)
  return {
    ...scopeOf(call, now),
    condition: filterOf(call, now),
    oldestFirst: isOldestFirst(query),
    // The first page has already applied the offset.
    offset: from ? 0 : (query.offset ?? 0),
    from,
    withPerson: query.include_person ?? true,
  }
}

/** The condition of `properties` and `where`. */
function filterOf({ query }: ListCall | HistogramCall | TailCall, now: string): store.Condition | undefined {
  const filter = parseFilter(rawQueryValues(query, 'properties') ?? [], epochMicroseconds(now))
  return conditionOf(filter, queryList(query, 'where') ?? [], epochMicroseconds(now))
}

const namesOf = ({ search = '', limit = PAGE_SIZE }: { search?: string; limit?: number }) => ({ search, limit })

/** The project, time range, names and person of a list, without its property filters. */
function scopeOf(call: ListCall | HistogramCall, now: string) {
  const { after, before } = call.query
  return {
    ...subjectOf(call),
    after: after ? parseMoment(after, 'after', now) : undefined,
    before: before ? parseMoment(before, 'before', now) : parseMoment(now, 'before', now) + CLOCK_SKEW_MICROSECONDS,
  }
}

function subjectOf({ query, project, signal }: ListCall | HistogramCall | TailCall) {
  const names = queryList(query, 'event')?.filter((name) => name !== '')
  return {
    project_id: project.id,
    names: names && [...new Set(names)],
    distinct_id: query.distinct_id,
    person_id: query.person_id === undefined ? undefined : (parseUuid(query.person_id) ?? query.person_id),
    signal,
  }
}

function isOldestFirst(query: Query<'events.list'>): boolean {
  const orders = queryList(query, 'orderBy')?.filter((order) => order !== '') ?? []
  const [order = '-timestamp'] = orders
  if (orders.length > 1 || !/^-?timestamp$/.test(order))
    throw invalid('orderBy', 'Events are ordered by time: send "orderBy" as "-timestamp" or "timestamp".')
  return order === 'timestamp'
}

/** The same query after this page. Relative times become absolute. */
function nextUrl(
  { url, query }: ListCall,
  { after, before }: { after?: number; before: number },
  next: { position: store.ListCursor } | { offset: number },
): string {
  const isOffset = 'offset' in next
  return urlWith(url, {
    offset: undefined,
    ...(query.after && after !== undefined && { after: isoOf(after) }),
    // An offset stays valid only while no newer event is added before it.
    ...((query.before || isOffset) && { before: isoOf(before) }),
    cursor: isOffset ? offsetCursor(next.offset) : positionCursor(next.position),
  })
}

/** Returns the stored form of a UUID, which may come in braces or with `urn:uuid:`; undefined when it is not one. */
function parseUuid(text: string): string | undefined {
  const digits = /^(?:urn:uuid:|\{)?([0-9a-f-]{32,36})\}?$/i.exec(text)?.[1]?.replaceAll('-', '').toLowerCase()
  return digits?.length === 32 ? digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') : undefined
}
