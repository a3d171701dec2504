import { isUuid } from '../auth/access.ts'
import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { getPerson, type ListedPerson, listPersons } from '../events/person-list.ts'
import { isoOf, parseEventTime } from '../events/time.ts'
import { deletePerson } from '../organizations/persons.ts'
import { parseCursor, sliceAt } from './cursor.ts'
import type { Area, ResolvedAccess } from './handler-context.ts'
import { CursorPage } from './page.ts'

const PAGE_SIZE = 100

export const persons = (deps: Deps): Area<'persons', ListedPerson> => {
  const { eventReader } = deps
  return {
    subject: async ({ params: { id = '' }, project }: ResolvedAccess) => {
      const person =
        project && isUuid(id)
          ? await getPerson(eventReader, { project_id: project.id, id: id.toLowerCase() })
          : undefined
      if (!person) throw notFound()
      return person
    },

    operations: {
      'persons.list': async ({ project, query, url, signal }) => {
        const { search, distinct_id, limit = PAGE_SIZE } = query
        const cursor = query.cursor === undefined ? undefined : parseCursor(query.cursor)
        const found = await listPersons(
          eventReader,
          {
            project_id: project.id,
            search: search || undefined,
            distinct_id,
            from: cursor && [parseEventTime(cursor.at[0]) ?? 0, cursor.at[1]],
            backwards: cursor?.direction === 'previous',
            signal,
          },
          limit + 1,
        )
        const page = sliceAt(url, cursor, limit, found, ({ created_at, id }) => [isoOf(created_at), id])
        return new CursorPage(page.next, page.previous, page.rows, serializePerson)
      },

      'persons.retrieve': async ({ subject }) => serializePerson(subject),

      'persons.delete': async ({ actor, project, subject, query }) => {
        await deletePerson(deps, actor, project.id, subject, query.delete_events ?? false)
      },
    },
  }
}

const serializePerson = (person: ListedPerson): components['schemas']['Person'] => ({
  id: person.id,
  distinct_ids: person.distinct_ids,
  properties: JSON.parse(person.properties),
  is_identified: person.is_identified,
  created_at: isoOf(person.created_at),
})
