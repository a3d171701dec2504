import { Argument, Command } from 'commander'
import type { Variables } from '../config.ts'
import { contract } from '../contract/table.ts'
import { OPERATOR, record } from '../store/activity_log.ts'
import { fieldChanges } from '../store/field-changes.ts'
import * as store from '../store/organizations.ts'
import { commandError, EXIT } from './failure.ts'
import { printResult } from './json-output.ts'
import { type LocalOptions, withDatabase, withLocalOptions } from './local.ts'

const { enum: LEVELS, description } = contract.components.schemas.Organization.properties.plugins_access_level

/** The `organizations` commands that work on the database; the contract provides the others. */
export const localOrganizationCommands = (variables: Variables): Command[] => [
  withLocalOptions(new Command('set-plugin-access'), ['id', 'plugins_access_level'])
    .summary('set the plugin access level of an organization')
    .description(`${description} The first organization of an installation has level 9, others have level 6.`)
    .argument('<id>', "the organization's id")
    .addArgument(new Argument('<level>', 'the new level').choices(LEVELS.map(String)))
    .addHelpText(
      'after',
      '\nExample:\n  $ workspace-admin organizations set-plugin-access 0192b6f0-5a3c-7c1e-9d2a-4b7f1c9e8a10 3',
    )
    .action(async (organization_id: string, level: string, options: LocalOptions) => {
      const id = organization_id.toLowerCase()
      const found = await withDatabase(variables, options, ({ db, ids, now }) =>
        db.tx(async (tx) => {
          const organization = await store.lockOrganization(tx, id)
          if (!organization) return false
          const before = await store.pluginsAccess(tx, id)
          await store.setPluginsAccess(tx, id, Number(level), now)
          await record(tx, ids, now, OPERATOR, {
            organization_id: id,
            area: 'organizations',
            activity: 'updated',
            item_id: id,
            item_name: organization.name,
            changes: fieldChanges({ plugins_access_level: before }, { plugins_access_level: Number(level) }),
          })
          return true
        }),
      )
      if (!found) throw commandError(EXIT.not_found, 'No organization has this id. Check the id.')
      const text = `Organization ${id} now has plugin access level ${level}.`
      await printResult(options, { id, plugins_access_level: Number(level) }, text)
    }),
]
