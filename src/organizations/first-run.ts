import { issue, recordKeyActivity } from '../auth/api_keys.ts'
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import { SYSTEM } from '../store/activity_log.ts'
import { claim } from '../store/installation.ts'
import { UNRESTRICTED } from '../store/key-restrictions.ts'
import { returnedRow } from '../store/rows.ts'
import * as users from '../store/users.ts'
import { createWithOwner } from './organizations.ts'

export interface FirstRun {
  api_key: string
  project_token: string
  organization_id: string
  project_id: number
}

const FIRST_EMAIL = 'owner@example.com'
const FIRST_NAME = 'Owner'
const FIRST_ORGANIZATION = 'My organization'

/** Creates the first user with an organization, a project and an unrestricted key. Null when there are users already. */
export function firstRun(db: Db, ids: Ids, now: string): Promise<FirstRun | null> {
  return db.tx(async (tx) => {
    await claim(tx, ids.uuid(), now)
    if (await users.exist(tx)) return null
    const [uuid, distinct_id] = [ids.uuid(), ids.uuid()]
    const created = await users.create(tx, { uuid, distinct_id, email: FIRST_EMAIL, first_name: FIRST_NAME, now })
    const { id: owner_id } = returnedRow(created)
    const owned = { owner_id, name: FIRST_ORGANIZATION }
    const { organization_id, project } = await createWithOwner(tx, ids, now, SYSTEM, owned)
    const key = await issue(tx, ids, now, {
      user_id: owner_id,
      label: 'First key',
      scopes: ['*'],
      restrictions: UNRESTRICTED,
      expires_at: null,
    })
    await recordKeyActivity(tx, ids, now, SYSTEM, 'created', { after: key })
    return {
      api_key: key.value,
      project_token: project.api_token,
      organization_id,
      project_id: project.id,
    }
  })
}
