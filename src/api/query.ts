import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import { type Answer, answer } from '../events/query.ts'
import { epochMicroseconds } from '../time/stored.ts'
import { type Area, RawResponse } from './handler-context.ts'
import { joinOrStream, textChunks } from './text-chunks.ts'
import { parseMoment } from './time.ts'

type Response = components['schemas']['QueryResponse']

export const query = ({ eventReader, now }: Deps): Area<'query'> => ({
  operations: {
    'query.run': async ({ project, body, signal }) => {
      const time = now()
      const { query: text, values, filters, explain = false } = body.query
      const moment = (name: 'date_from' | 'date_to'): number | undefined => {
        const value = filters?.dateRange?.[name]
        return value ? parseMoment(value, `query__filters__dateRange__${name}`, time) : undefined
      }
      const found = await answer(eventReader, {
        project_id: project.id,
        text,
        values: values ?? {},
        range: { from: moment('date_from'), to: moment('date_to') },
        now: epochMicroseconds(time),
        signal,
      })
      const head = `${JSON.stringify(serialize(found, explain)).slice(0, -1)},"results":[`
      const frame = { head, separator: ',', tail: ']}' }
      const chunks = textChunks(found.rows, (row) => JSON.stringify(found.resultOf(row)), frame)
      return new RawResponse('application/json', await joinOrStream(chunks))
    },
  },
})

const serialize = (found: Answer, explain: boolean): Omit<Response, 'results'> => ({
  columns: found.columns,
  types: found.types,
  hogql: found.hogql,
  hasMore: found.more,
  limit: found.limit,
  offset: found.offset,
  timings: Object.entries(found.seconds).map(([k, t]) => ({ k, t })),
  rows_read: found.rows_read,
  ...(explain && { explain: found.explain }),
})
