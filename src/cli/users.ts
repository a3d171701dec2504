import { Command, Option } from 'commander'
import type { Variables } from '../config.ts'
import { contract, SINGLE_LINE } from '../contract/table.ts'
import { createWithOwner } from '../organizations/organizations.ts'
import { supersede as supersedeAccount } from '../organizations/supersede.ts'
import { claim } from '../store/installation.ts'
import * as members from '../store/members.ts'
import { lockOrganization } from '../store/organizations.ts'
import * as store from '../store/users.ts'
import { EXIT, failure, usage } from './failure.ts'
import { type Local, type LocalOptions, local, onDatabase } from './local.ts'
import { harmless, table } from './print.ts'
import { databaseFlag, quoted } from './quote.ts'

const EMAIL = /^[^\s@]+@[^\s@]+$/
const LEVELS: number[] = contract.components.schemas.Member.properties.level.enum

interface CreateOptions extends LocalOptions {
  email: string
  firstName?: string
  organization?: string
  organizationId?: string
  level?: string
}

/** The commands of `users` that work on the database, beside those that the contract gives. */
export const users = (variables: Variables): Command[] => [create(variables), list(variables), supersede(variables)]

const create = (variables: Variables): Command =>
  local(new Command('create'))
    .summary('add a user, with an organization of their own or in one that exists')
    .description(
      'Adds a user to the database: with an organization of their own, named by --organization or after them, or as a member of the one that --organization-id names. A key for them is made by `keys create`.',
    )
    .requiredOption('--email <address>', "the user's e-mail address; nobody else may have it")
    .option('--first-name <name>', 'how to call them (else the part before the @)')
    .addOption(
      new Option('--organization <name>', 'make an organization of this name, which they own').conflicts(
        'organizationId',
      ),
    )
    .option('--organization-id <id>', 'make them a member of this organization instead')
    .addOption(
      new Option('--level <level>', '1 member, 8 administrator, 15 owner; with --organization-id (else 1)').choices(
        LEVELS.map(String),
      ),
    )
    .addHelpText(
      'after',
      `
Examples:
  $ workspace-admin users create --email ada@example.com --first-name Ada --organization 'Analytical Engines'
  $ workspace-admin users create --email bob@example.com --organization-id 0192b6f0-5a3c-7c1e-9d2a-4b7f1c9e8a10 --level 8`,
    )
    .action(async (options: CreateOptions) => {
      const email = options.email.trim()
      if (!EMAIL.test(email)) throw usage(`${quoted(email)} is no e-mail address. Send one like ada@example.com.`)
      if (options.level && !options.organizationId)
        throw usage('--level goes with --organization-id: who gets an organization of their own is its owner.')
      for (const name of [email, options.firstName, options.organization])
        if (name !== undefined && !new RegExp(SINGLE_LINE, 'u').test(name))
          throw usage('Names cannot contain line breaks or control characters. Remove them.')
      const made = await onDatabase(variables, options, (local) => make(local, options, email))
      if (options.json) return console.log(JSON.stringify(made))
      console.log(
        [
          `${made.email} is user ${made.id}, with level ${made.level} in the organization "${made.organization}" (${made.organization_id}).`,
          '',
          'Make a key for them; its value is shown once:',
          '',
          `  workspace-admin keys create --user ${quoted(made.email)} --scopes '*'${databaseFlag(options.database)}`,
        ].join('\n'),
      )
    })

const make = ({ db, ids, now }: Local, options: CreateOptions, email: string) =>
  db.tx(async (tx) => {
    // The first organization of an installation is known by its row; a server may not have made it yet.
    await claim(tx, ids.uuid(), now)
    const first_name = options.firstName ?? email.split('@', 1)[0]!
    const user = await store.create(tx, { uuid: ids.uuid(), distinct_id: ids.uuid(), email, first_name, now })
    if (!user) throw failure(EXIT.refused, `${email} has an account already. Make a key for it with \`keys create\`.`)
    const { id, uuid } = user
    if (!options.organizationId) {
      const name = options.organization ?? `${first_name}'s organization`
      const { organization_id } = await createWithOwner(tx, ids, now, { owner_id: id, name })
      return { id, uuid, email, first_name, organization: name, organization_id, level: members.OWNER }
    }
    const organization_id = options.organizationId.toLowerCase()
    const organization = await lockOrganization(tx, organization_id)
    if (!organization)
      throw failure(EXIT.not_found, 'There is no organization with that id. `organizations list` shows those you see.')
    const level = Number(options.level ?? members.MEMBER)
    await members.create(tx, { id: ids.uuid(), organization_id, user_id: id, level, now })
    return { id, uuid, email, first_name, organization: organization.name, organization_id, level }
  })

const list = (variables: Variables): Command =>
  local(new Command('list'))
    .summary('show every user, with how many organizations and keys they have')
    .description('Shows every user in the database, with how many organizations and keys they have.')
    .addHelpText('after', '\nExample:\n  $ workspace-admin users list --json')
    .action(async (options: LocalOptions) => {
      const rows = await onDatabase(variables, options, ({ db }) => store.list(db))
      console.log(options.json ? JSON.stringify(rows) : table(rows.map(({ uuid, ...row }) => row)))
    })

const supersede = (variables: Variables): Command =>
  local(new Command('supersede'))
    .summary('take an address back from an account that never proved it')
    .description(
      'Disables an account whose address was never verified and frees the address. The account loses its keys, its memberships and the invites it made, at once on every server. Nothing passes to the next account of that address. An organization whose only owner it was keeps it as its owner on record and is listed, so that you can add an owner. A verified account is refused.',
    )
    .argument('<email>', 'the address to free')
    .addHelpText(
      'after',
      `
Without mail, anybody who may invite can sign up with any address, because the answer carries the secret. With mail
configured, such an account is superseded as soon as the owner of the address accepts a mailed invite without a key.

Example:
  $ workspace-admin users supersede ada@example.com`,
    )
    .action(async (email: string, options: LocalOptions) => {
      const { uuid, ...done } = await onDatabase(variables, options, ({ db }) =>
        db.tx(async (tx) => {
          const user = await store.getByEmail(tx, email.trim())
          if (!user) throw failure(EXIT.not_found, 'No user has that address. `users list` shows all.')
          if (user.is_email_verified)
            throw failure(EXIT.refused, `The address of ${user.email} is verified, so it cannot be superseded.`)
          return { email: user.email, ...(await supersedeAccount(tx, user)) }
        }),
      )
      if (options.json) return console.log(JSON.stringify({ uuid, ...done }))
      const names = (list: { id: string; name: string }[]) => list.map(({ id, name }) => `  ${harmless(name)} (${id})`)
      console.log(
        [
          `${done.email} is free again. User ${done.id} is disabled and lost ${done.keys_revoked} keys.`,
          ...(done.left.length ? ['', 'It is no longer a member of:', ...names(done.left)] : []),
          ...(done.without_owner.length
            ? [
                '',
                'These organizations have no active owner now:',
                ...names(done.without_owner),
                '',
                'Add one, or leave them as they are:',
                '',
                `  workspace-admin users create --email <address> --organization-id ${done.without_owner[0]!.id} --level 15${databaseFlag(options.database)}`,
              ]
            : []),
        ].join('\n'),
      )
    })
