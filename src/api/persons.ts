import { isUuid } from '../auth/access.ts'
import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { getPerson, type ListedPerson, listPersons, type PersonCursor } from '../events/person-list.ts'
import { isoOf, parseEventTime } from '../events/time.ts'
import { storedJson } from '../json/stored.ts'
import { deletePerson } from '../organizations/persons.ts'
import { cursorPage } from './cursor.ts'
import type { Area, ResolvedAccess } from './handler-context.ts'

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
      'persons.list': async (call) => {
        const { search, distinct_id } = call.query
        const query = { project_id: call.project.id, search: search || undefined, distinct_id, signal: call.signal }
        return cursorPage(
          call,
          ({ at, backwards, limit }) => {
            const from: PersonCursor | undefined = at && [parseEventTime(at[0]) ?? 0, at[1]]
            return listPersons(eventReader, { ...query, from, backwards }, limit)
          },
          ({ created_at, id }) => [isoOf(created_at), id],
          serializePerson,
        )
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
  properties: storedJson(person.properties),
  is_identified: person.is_identified,
  created_at: isoOf(person.created_at),
})
