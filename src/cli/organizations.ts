import { Argument, Command } from 'commander'
import type { Variables } from '../config.ts'
import { contract } from '../contract/table.ts'
import type { Db } from '../sql/db.ts'
import { OPERATOR, record } from '../store/activity_log.ts'
import { fieldChanges } from '../store/field-changes.ts'
import * as store from '../store/organizations.ts'
import { commandError, EXIT } from './failure.ts'
import { printResult } from './json-output.ts'
import { type LocalOptions, withDatabase, withLocalOptions } from './local.ts'
import { localIdOf } from './names.ts'

const { enum: LEVELS, description } = contract.components.schemas.Organization.properties.plugins_access_level

/** The `organizations` commands that work on the database; the contract provides the others. */
export const localOrganizationCommands = (variables: Variables): Command[] => [
  withLocalOptions(new Command('set-plugin-access'), ['id', 'plugins_access_level'])
    .summary('set the plugin access level of an organization')
    .description(`${description} The first organization of an installation has level 9, others have level 6.`)
    .argument('<organization>', "the organization's id, or its name if it is unique")
    .addArgument(new Argument('<level>', 'the new level').choices(LEVELS.map(String)))
    .addHelpText('after', "\nExample:\n  $ workspace-admin organizations set-plugin-access 'Hedgerow Analytics' 3")
    .action(async (text: string, level: string, options: LocalOptions) => {
      const id = await withDatabase(variables, options, ({ db, ids, now }) =>
        db.tx(async (tx) => {
          const id = await organizationId(tx, text)
          const organization = await store.lockOrganization(tx, id)
          if (!organization) return undefined
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
          return id
        }),
      )
      if (id === undefined) throw commandError(EXIT.not_found, 'No organization has this id or name. Check it.')
      const done = `Organization ${id} now has plugin access level ${level}.`
      await printResult(options, { id, plugins_access_level: Number(level) }, done)
    }),
]

/** An id wins over a name. */
export async function organizationId(tx: Db, text: string): Promise<string> {
  const id = text.toLowerCase()
  if (await store.lockOrganization(tx, id)) return id
  return localIdOf('organizations', await store.named(tx, text), text) ?? id
}
