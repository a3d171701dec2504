import { Argument, Command } from 'commander'
import type { Variables } from '../config.ts'
import { contract } from '../contract/table.ts'
import * as store from '../store/organizations.ts'
import { EXIT, failure } from './failure.ts'
import { type LocalOptions, local, onDatabase } from './local.ts'

const { enum: LEVELS, description: MEANING } = contract.components.schemas.Organization.properties.plugins_access_level

/** The commands of `organizations` that work on the database, beside those that the contract gives. */
export const organizations = (variables: Variables): Command[] => [
  local(new Command('set-plugin-access'))
    .summary('say what an organization may do with plugins')
    .description(`${MEANING} The first organization of an installation has 9, others 6.`)
    .argument('<id>', "the organization's id")
    .addArgument(new Argument('<level>', 'the new level').choices(LEVELS.map(String)))
    .addHelpText(
      'after',
      '\nExample:\n  $ workspace-admin organizations set-plugin-access 0192b6f0-5a3c-7c1e-9d2a-4b7f1c9e8a10 3',
    )
    .action(async (given: string, level: string, options: LocalOptions) => {
      const id = given.toLowerCase()
      const changed = await onDatabase(variables, options, ({ db, now }) =>
        store.setPluginsAccess(db, id, Number(level), now),
      )
      if (!changed) throw failure(EXIT.not_found, 'There is no organization with that id. Check it.')
      if (options.json) console.log(JSON.stringify({ id, plugins_access_level: Number(level) }))
      else console.log(`The organization ${id} has plugin access level ${level} now.`)
    }),
]
