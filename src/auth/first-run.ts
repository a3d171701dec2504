import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import { claim } from '../store/installation.ts'
import { EVERYTHING } from '../store/key-restrictions.ts'
import * as organizations from '../store/organizations.ts'
import * as users from '../store/users.ts'
import { issue } from './api_keys.ts'

export interface FirstRun {
  api_key: string
  project_token: string
  organization_id: string
  project_id: number
}

const FIRST_EMAIL = 'owner@example.com'
const FIRST_NAME = 'Owner'
const FIRST_ORGANIZATION = 'My organization'

/** On a database without users: the first one, their organization and project, and a key for everything. */
export function firstRun(db: Db, ids: Ids, now: string): Promise<FirstRun | null> {
  return db.tx(async (tx) => {
    await claim(tx, ids.uuid(), now)
    if (await users.any(tx)) return null
    const user = await users.create(tx, {
      uuid: ids.uuid(),
      distinct_id: ids.uuid(),
      email: FIRST_EMAIL,
      first_name: FIRST_NAME,
      now,
    })
    const made = await organizations.create(tx, ids, now, { owner_id: user!.id, name: FIRST_ORGANIZATION })
    const key = await issue(tx, ids, now, {
      user_id: user!.id,
      label: 'First key',
      scopes: ['*'],
      reach: EVERYTHING,
      expires_at: null,
    })
    return {
      api_key: key.value,
      project_token: made.project.api_token,
      organization_id: made.organization_id,
      project_id: made.project.id,
    }
  })
}
