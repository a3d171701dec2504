import type { Deps } from '../deps.ts'
import * as organizations from '../store/organizations.ts'
import * as projects from '../store/projects.ts'
import type { Area } from './call.ts'
import * as wire from './wire.ts'

export const users = ({ db }: Deps): Area<'users'> => ({
  operations: {
    'users.me': async ({ caller: { user, key } }) =>
      wire.me(user, await organizations.current(db, user, key.reach), await projects.current(db, user, key.reach)),
  },
})
