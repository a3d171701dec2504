import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import * as store from '../store/activity_log.ts'
import { parseCursor, sliceAt } from './cursor.ts'
import type { Area } from './handler-context.ts'
import { storedTime } from './log_entries.ts'
import { CursorPage, paging } from './page.ts'
import { parseMoment } from './time.ts'

export const activity_log = ({ db, now }: Deps): Area<'activity_log'> => ({
  operations: {
    'activity_log.list': async ({ organization, query, url }) => {
      const timeOf = (field: 'after' | 'before'): string | undefined =>
        query[field] === undefined ? undefined : storedTime(parseMoment(query[field], field, now()))
      const filter: store.ActivityFilter = {
        organization_id: organization.id,
        area: query.area,
        user_uuid: query.user?.toLowerCase(),
        item_id: query.item_id,
        after: timeOf('after'),
        before: timeOf('before'),
      }
      const { limit } = paging(query)
      const cursor = query.cursor === undefined ? undefined : parseCursor(query.cursor)
      const descending = cursor?.direction !== 'previous'
      const found = await store.list(db, filter, { at: cursor?.at, descending, limit: limit + 1 })
      const { rows, next, previous } = sliceAt(url, cursor, limit, found, ({ created_at, id }) => [created_at, id])
      return new CursorPage(next, previous, rows, serializeActivity)
    },
  },
})

function serializeActivity(row: store.ActivityRow): components['schemas']['Activity'] {
  const { user_uuid: uuid, user_email, user_first_name } = row
  return {
    id: row.id,
    created_at: row.created_at,
    actor: row.actor,
    user: uuid === null ? null : { uuid, email: user_email ?? '', first_name: user_first_name ?? '' },
    api_key_id: row.key_id,
    session_id: row.session_id,
    address: row.address,
    area: row.area,
    activity: row.activity,
    item_id: row.item_id,
    item_name: row.item_name,
    project_id: row.project_id,
    changes: JSON.parse(row.changes),
  }
}
