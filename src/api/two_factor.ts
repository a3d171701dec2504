import type { Deps } from '../deps.ts'
import * as flows from '../signin/second-factor.ts'
import type { Area } from './handler-context.ts'

export const two_factor = ({ signIn }: Deps): Area<'two_factor'> => ({
  operations: {
    'two_factor.status': async ({ caller }) => {
      const { is_enabled, backup_codes } = await flows.status(signIn, caller.user)
      return { is_enabled, backup_codes, method: is_enabled ? 'TOTP' : null }
    },

    'two_factor.start_setup': ({ caller }) => flows.startSetup(signIn, caller.user),

    'two_factor.validate': async ({ actor, body: { token } }) => {
      const backup_codes = await flows.completeSetup(signIn, actor, token)
      signIn.mailer?.wake()
      return { success: true, backup_codes }
    },

    'two_factor.backup_codes': async ({ caller, actor, body = {} }) => {
      const backup_codes = await flows.renewBackupCodes(signIn, caller, actor, body)
      signIn.mailer?.wake()
      return { success: true, backup_codes }
    },

    'two_factor.disable': async ({ caller, actor, body = {} }) => {
      await flows.disable(signIn, caller, actor, body)
      signIn.mailer?.wake()
      return { success: true }
    },
  },
})
