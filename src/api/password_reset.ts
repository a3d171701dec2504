import type { Deps } from '../deps.ts'
import * as flows from '../signin/password-reset.ts'
import type { Area } from './handler-context.ts'

export const password_reset = ({ signIn }: Deps): Area<'password_reset'> => ({
  operations: {
    'password_reset.request': ({ body: { email } }) => flows.requestReset(signIn, email),

    'password_reset.check': async ({ params: { user_uuid }, query: { token } }) => {
      await flows.checkReset(signIn, user_uuid, token)
    },

    'password_reset.complete': async ({ params: { user_uuid: uuid }, body: { token, password }, client }) => {
      const { email } = await flows.completeReset(signIn, { uuid, token, password, address: client.address })
      return { success: true, email }
    },
  },
})
