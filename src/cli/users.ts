import { text as readText } from 'node:stream/consumers'
import { Command, Option } from 'commander'
import { endSignIns, removeTwoFactor } from '../auth/credentials.ts'
import { createPasswordProcesses } from '../auth/password-processes.ts'
import { createPasswords } from '../auth/passwords.ts'
import { readClientConfig, siteOrigin, type Variables } from '../config.ts'
import { contract, SINGLE_LINE } from '../contract/table.ts'
import type { Ids } from '../ids.ts'
import { activate, deactivate } from '../organizations/accounts.ts'
import { addMember } from '../organizations/members.ts'
import { createWithOwner } from '../organizations/organizations.ts'
import { supersede as supersedeAccount } from '../organizations/supersede.ts'
import { recordAccount } from '../signin/activity.ts'
import { createSignInLink } from '../signin/links.ts'
import type { Db } from '../sql/db.ts'
import * as accounts from '../store/accounts.ts'
import { OPERATOR } from '../store/activity_log.ts'
import { claim } from '../store/installation.ts'
import * as members from '../store/members.ts'
import { lockOrganization } from '../store/organizations.ts'
import * as store from '../store/users.ts'
import { commandError, EXIT, usageError } from './failure.ts'
import { isJson, jsonOutput, printJson, printResult } from './json-output.ts'
import { type LocalContext, type LocalOptions, withDatabase, withLocalOptions } from './local.ts'
import { organizationId } from './organizations.ts'
import { printRows } from './print.ts'
import { databaseFlag, shellQuote } from './quote.ts'

const EMAIL = /^[^\s@]+@[^\s@]+$/
const LEVELS: number[] = contract.components.schemas.Member.properties.level.enum

interface CreateOptions extends LocalOptions {
  email: string
  firstName?: string
  organization?: string
  organizationId?: string
  level?: string
}

/** The `users` commands that work on the database; the contract provides the others. */
export const localUserCommands = (variables: Variables): Command[] => [
  createCommand(variables),
  listCommand(variables),
  supersedeCommand(variables),
  setPasswordCommand(variables),
  linkCommand(variables),
  resetTwoFactorCommand(variables),
  deactivateCommand(variables),
  activateCommand(variables),
]

const createCommand = (variables: Variables): Command =>
  withLocalOptions(new Command('create'), [
    'id',
    'uuid',
    'email',
    'first_name',
    'organization',
    'organization_id',
    'level',
  ])
    .summary('add a user, with a new organization or to an existing one')
    .description(
      'Adds a user. The user owns a new organization (--organization), or becomes a member of an existing one (--organization-id). Create a key for the user with `keys create`.',
    )
    .requiredOption('--email <address>', "the user's email address, which must be unique")
    .option('--first-name <name>', 'the first name (default: the part before the @)')
    .addOption(new Option('--organization <name>', 'create an organization with this name').conflicts('organizationId'))
    .option(
      '--organization-id <organization>',
      'add the user to this organization instead: its id, or its name if it is unique',
    )
    .addOption(
      new Option(
        '--level <level>',
        '1 member, 8 administrator, 15 owner; only with --organization-id (default: 1)',
      ).choices(LEVELS.map(String)),
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
      if (!EMAIL.test(email)) throw usageError(`${shellQuote(email)} is not an email address.`)
      if (options.level && !options.organizationId)
        throw usageError('--level requires --organization-id: the user owns a new organization.')
      for (const name of [email, options.firstName, options.organization])
        if (name !== undefined && !new RegExp(SINGLE_LINE, 'u').test(name))
          throw usageError('Names cannot contain line breaks or control characters. Remove them.')
      const created = await withDatabase(variables, options, (context) => createUser(context, options, email))
      await printResult(options, created, [
        `Created user ${created.id} (${created.email}) with level ${created.level} in the organization "${created.organization}" (${created.organization_id}).`,
        '',
        'Create a key for the user. Its value is shown once:',
        '',
        `  workspace-admin keys create --user ${shellQuote(created.email)} --scopes '*'${databaseFlag(options.database)}`,
      ])
    })

const createUser = ({ db, ids, now }: LocalContext, options: CreateOptions, email: string) =>
  db.tx(async (tx) => {
    // The installation row identifies the first organization. It is missing before the first server start.
    await claim(tx, ids.uuid(), now)
    const [localPart = email] = email.split('@', 1)
    const first_name = options.firstName ?? localPart
    const user = await store.create(tx, { uuid: ids.uuid(), distinct_id: ids.uuid(), email, first_name, now })
    if (!user)
      throw commandError(EXIT.refused, `${email} already has an account. Create a key for it with \`keys create\`.`)
    const { id, uuid } = user
    if (!options.organizationId) {
      const name = options.organization ?? `${first_name}'s organization`
      const { organization_id } = await createWithOwner(tx, ids, now, OPERATOR, { owner_id: id, name })
      return { id, uuid, email, first_name, organization: name, organization_id, level: members.OWNER }
    }
    const organization_id = await organizationId(tx, options.organizationId)
    const organization = await lockOrganization(tx, organization_id)
    if (!organization)
      throw commandError(
        EXIT.not_found,
        'No organization has this id or name. Run `organizations list` to list organizations.',
      )
    const level = Number(options.level ?? members.MEMBER)
    await addMember(tx, ids, now, OPERATOR, { organization_id, user, level })
    return { id, uuid, email, first_name, organization: organization.name, organization_id, level }
  })

const listCommand = (variables: Variables): Command =>
  withLocalOptions(new Command('list'), [
    'id',
    'uuid',
    'email',
    'first_name',
    'is_email_verified',
    'created_at',
    'organizations',
    'keys',
  ])
    .summary('list all users with the number of their organizations and keys')
    .description('Lists all users with the number of their organizations and keys.')
    .addHelpText('after', '\nExample:\n  $ workspace-admin users list --json')
    .action(async (options: LocalOptions) => {
      const rows = await withDatabase(variables, options, ({ db }) => store.list(db))
      if (isJson(options)) return printJson(rows, jsonOutput(options))
      printRows(
        rows.map(({ uuid, ...row }) => row),
        undefined,
        '--json <fields>',
      )
    })

const supersedeCommand = (variables: Variables): Command =>
  withLocalOptions(new Command('supersede'), ['uuid', 'email', 'id', 'keys_revoked', 'left', 'without_owner'])
    .summary('free an email address that its account never verified')
    .description(
      'Disables an account whose address was never verified and frees the address. The account immediately loses its keys, its memberships and the invites it created, on every server. A new account with the address inherits nothing. If the account was the only owner of an organization, it stays the owner on record, and the organization is listed so that you can add an owner. A verified account is rejected.',
    )
    .argument('<email>', 'the address to free')
    .addHelpText(
      'after',
      `
If email is not configured, a member who may invite can sign up with any address, because the response contains the token
of the invite. If email is configured, the account is superseded when the owner of the address accepts an emailed invite
without a key.

Example:
  $ workspace-admin users supersede ada@example.com`,
    )
    .action(async (email: string, options: LocalOptions) => {
      const { uuid, ...done } = await withDatabase(variables, options, ({ db, ids, now }) =>
        db.tx(async (tx) => {
          const user = await findAccount(tx, email)
          if (user.is_email_verified)
            throw commandError(EXIT.refused, `${user.email} is verified, so the account cannot be superseded.`)
          return { email: user.email, ...(await supersedeAccount(tx, ids, now, OPERATOR, user)) }
        }),
      )
      const names = (list: { id: string; name: string }[]) => list.map(({ id, name }) => `  ${name} (${id})`)
      const [ownerless] = done.without_owner
      await printResult(options, { uuid, ...done }, [
        `Freed ${done.email}. User ${done.id} is disabled; keys revoked: ${done.keys_revoked}.`,
        ...(done.left.length ? ['', 'The user is no longer a member of:', ...names(done.left)] : []),
        ...(ownerless
          ? [
              '',
              'These organizations have no active owner:',
              ...names(done.without_owner),
              '',
              'To add an owner:',
              '',
              `  workspace-admin users create --email <address> --organization-id ${ownerless.id} --level 15${databaseFlag(options.database)}`,
            ]
          : []),
      ])
    })

/** The account with this address. */
async function findAccount(tx: Db, email: string): Promise<store.UserRow> {
  const user = await store.getByEmail(tx, email.trim())
  if (!user) throw commandError(EXIT.not_found, 'No user has this address. Run `users list` to list users.')
  return user
}

const setPasswordCommand = (variables: Variables): Command =>
  withLocalOptions(new Command('set-password'), ['email'])
    .summary('set the password of a user, read from standard input')
    .description(
      'Sets the password of a user and ends all their sessions. The password is read from standard input, so it does not appear in the process list or the shell history.',
    )
    .argument('<email>', 'the address of the user')
    .addHelpText('after', '\nExample:\n  $ workspace-admin users set-password ada@example.com < password.txt')
    .action(async (email: string, options: LocalOptions) => {
      const password = (await readText(process.stdin)).replace(/\r?\n$/, '')
      if (password.length > 256) throw usageError('The password must have at most 256 characters.')
      const processes = createPasswordProcesses()
      try {
        const passwords = createPasswords(processes)
        const done = await withDatabase(variables, options, async ({ db, ids, now }) => {
          const user = await findAccount(db, email)
          await passwords.requireStrong(password, [user.email, user.first_name, user.last_name])
          const password_hash = await passwords.hash(password)
          await db.tx(async (tx) => {
            await accounts.setPassword(tx, user.id, password_hash)
            await recordAccount({ ids, now: () => now }, tx, OPERATOR, user, 'password_changed')
            await endSignIns(tx, { ids, now, actor: OPERATOR, reason: 'password_changed' }, user)
          })
          return { email: user.email }
        })
        await printResult(options, done, `Set the password of ${done.email} and ended all sessions.`)
      } finally {
        await processes.stop()
      }
    })

interface LinkOptions extends LocalOptions {
  siteUrl?: string
  resetTwoFactor?: boolean
}

const linkCommand = (variables: Variables): Command =>
  withLocalOptions(new Command('link'), ['email', 'login_url'])
    .summary('print a one-time sign-in link for a user')
    .description(
      'Prints a link that signs the user in. It works once, for one hour, even when the domain enforces single sign-on. It does not replace a second factor unless --reset-two-factor is used.',
    )
    .argument('<email>', 'the address of the user')
    .option('--site-url <url>', 'the address of the server (default: SITE_URL, then WORKSPACE_URL)')
    .option('--reset-two-factor', 'also turn off two-factor authentication')
    .addHelpText('after', '\nExample:\n  $ workspace-admin users link ada@example.com')
    .action(async (email: string, options: LinkOptions) => {
      const site_url = siteOrigin(options.siteUrl ?? variables.SITE_URL ?? readClientConfig(variables).WORKSPACE_URL)
      const done = await withDatabase(variables, options, ({ db, ids, now }) =>
        db.tx(async (tx) => {
          const user = await findAccount(tx, email)
          if (options.resetTwoFactor) await resetTwoFactor(tx, ids, now, user)
          await recordAccount({ ids, now: () => now }, tx, OPERATOR, user, 'sign_in_link_created')
          return { email: user.email, login_url: await createSignInLink(tx, { ids, now, site_url }, user) }
        }),
      )
      await printResult(options, done, done.login_url)
    })

async function resetTwoFactor(tx: Db, ids: Ids, now: string, user: store.UserRow): Promise<void> {
  if (user.two_factor_enabled_at !== null)
    await recordAccount({ ids, now: () => now }, tx, OPERATOR, user, 'two_factor_disabled')
  await removeTwoFactor(tx, user.id)
}

const resetTwoFactorCommand = (variables: Variables): Command =>
  withLocalOptions(new Command('reset-two-factor'), ['email'])
    .summary('turn off two-factor authentication of a user')
    .description('Turns off two-factor authentication of a user after the loss of the phone and the backup codes.')
    .argument('<email>', 'the address of the user')
    .addHelpText('after', '\nExample:\n  $ workspace-admin users reset-two-factor ada@example.com')
    .action(async (email: string, options: LocalOptions) => {
      const done = await withDatabase(variables, options, ({ db, ids, now }) =>
        db.tx(async (tx) => {
          const user = await findAccount(tx, email)
          await resetTwoFactor(tx, ids, now, user)
          await endSignIns(tx, { ids, now, actor: OPERATOR, reason: 'two_factor_reset' }, user)
          return { email: user.email }
        }),
      )
      await printResult(options, done, `Turned off two-factor authentication of ${done.email} and ended all sessions.`)
    })

const deactivateCommand = (variables: Variables): Command =>
  withLocalOptions(new Command('deactivate'), ['email', 'keys_revoked'])
    .summary('end the keys and sessions of a user and lock the account')
    .description(
      'Locks an account. Its keys and sessions end immediately, on every server. Its memberships stay for `users activate`.',
    )
    .argument('<email>', 'the address of the user')
    .addHelpText('after', '\nExample:\n  $ workspace-admin users deactivate ada@example.com')
    .action(async (email: string, options: LocalOptions) => {
      const done = await withDatabase(variables, options, ({ db, ids, now }) =>
        db.tx(async (tx) => deactivate(tx, ids, now, (await findAccount(tx, email)).email)),
      )
      await printResult(
        options,
        done,
        `Deactivated ${done.email} and ended all sessions; keys revoked: ${done.keys_revoked}.`,
      )
    })

const activateCommand = (variables: Variables): Command =>
  withLocalOptions(new Command('activate'), ['email'])
    .summary('unlock an account that was deactivated')
    .description('Unlocks an account. Its revoked keys and ended sessions are not restored.')
    .argument('<email>', 'the address of the user')
    .addHelpText('after', '\nExample:\n  $ workspace-admin users activate ada@example.com')
    .action(async (email: string, options: LocalOptions) => {
      const done = await withDatabase(variables, options, ({ db, ids, now }) =>
        db.tx(async (tx) => {
          const user = await store.findByEmail(tx, email.trim())
          if (!user || user.is_active)
            throw commandError(EXIT.not_found, 'No deactivated user has this address. Run `users list` to list users.')
          return activate(tx, ids, now, user.email)
        }),
      )
      await printResult(options, done, `Activated ${done.email}.`)
    })
