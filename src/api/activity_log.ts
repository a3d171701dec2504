import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import { storedJson } from '../json/stored.ts'
import * as store from '../store/activity_log.ts'
import { cursorPage } from './cursor.ts'
import type { Area } from './handler-context.ts'
import { timesOf } from './log_entries.ts'

export const activity_log = ({ db, now }: Deps): Area<'activity_log'> => ({
  operations: {
    'activity_log.list': async (call) => {
      const { organization, query } = call
      const filter: store.ActivityFilter = {
        organization_id: organization.id,
        area: query.area,
        user_uuid: query.user?.toLowerCase(),
        item_id: query.item_id,
        ...timesOf(query, now()),
      }
      return cursorPage(
        call,
        ({ at, backwards, limit }) => store.list(db, filter, { at, descending: !backwards, limit }),
        ({ created_at, id }) => [created_at, id],
        serializeActivity,
      )
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
    changes: storedJson(row.changes),
  }
}
