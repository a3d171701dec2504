import { Command } from 'commander'
import { serializeApiKey } from '../api/api_keys.ts'
import { parseIsoTime } from '../api/time.ts'
import { issue } from '../auth/api_keys.ts'
import type { Variables } from '../config.ts'
import { contract, SINGLE_LINE } from '../contract/table.ts'
import * as store from '../store/api_keys.ts'
import { UNRESTRICTED } from '../store/key-restrictions.ts'
import { getByEmail } from '../store/users.ts'
import { EXIT, failure, usage } from './failure.ts'
import { type LocalOptions, local, onDatabase } from './local.ts'
import { table } from './print.ts'
import { databaseFlag } from './quote.ts'

const { schemas } = contract.components
const SCOPES: string[] = schemas.Scope.enum
const LABEL_LENGTH: number = schemas.ApiKeyWrite.properties.label.maxLength

export const keys = (variables: Variables): Command =>
  new Command('keys')
    .description(
      "Makes, lists and revokes anybody's keys, on the database itself: the way back in for who lost theirs.",
    )
    .addCommand(create(variables))
    .addCommand(list(variables))
    .addCommand(revoke(variables))

interface CreateOptions extends LocalOptions {
  user: string
  scopes: string
  label: string
  expires?: string
}

const create = (variables: Variables): Command =>
  local(new Command('create'))
    .summary('make a key for a user; its value is shown once')
    .description('Makes a key for a user. Its value is shown once, here. A running server accepts it at once.')
    .requiredOption('--user <email>', 'whose key it is; it acts as them')
    .requiredOption('--scopes <list>', 'what it may do, separated by commas')
    .option('--label <text>', 'to recognise it by', 'Made on the command line')
    .option('--expires <time>', 'when it stops working, in ISO 8601 (else never)')
    .addHelpText(
      'after',
      `
Scopes (a :write scope includes its :read, * is everything):
${SCOPES.map((scope) => `  ${scope}`).join('\n')}

Examples:
  $ workspace-admin keys create --user owner@example.com --scopes '*'
  $ workspace-admin keys create --user owner@example.com --scopes query:read,batch_export:read --expires 2027-01-01
  $ export WORKSPACE_KEY=$(workspace-admin keys create --user owner@example.com --scopes '*' --json | jq -r .value)`,
    )
    .action(async (options: CreateOptions) => {
      const scopes = [...new Set(options.scopes.split(',').map((scope) => scope.trim()))]
      const unknown = scopes.find((scope) => !SCOPES.includes(scope))
      if (unknown !== undefined) throw usage(`"${unknown}" is no scope. Choose from ${SCOPES.join(', ')}.`)
      const label = options.label.trim()
      if (!label || label.length > LABEL_LENGTH || !new RegExp(SINGLE_LINE, 'u').test(label))
        throw usage(`A label has 1 to ${LABEL_LENGTH} characters on one line.`)
      const expires_at = options.expires === undefined ? null : time(options.expires)
      const key = await onDatabase(variables, options, async ({ db, ids, now }) => {
        if (expires_at !== null && expires_at <= now)
          throw usage('--expires is in the past. Send a later time, or none.')
        const user = await getByEmail(db, options.user)
        if (!user)
          throw failure(EXIT.not_found, 'No user has that address. `users list` shows all, `users create` adds one.')
        return issue(db, ids, now, { user_id: user.id, label, scopes, restrictions: UNRESTRICTED, expires_at })
      })
      if (options.json) return console.log(JSON.stringify(serializeApiKey(key)))
      console.log(
        [
          key.value,
          '',
          `This is the key ${key.id} for ${options.user}. It is shown once: keep it. Revoke it with`,
          '',
          `  workspace-admin keys revoke ${key.id}${databaseFlag(options.database)}`,
        ].join('\n'),
      )
    })

interface ListOptions extends LocalOptions {
  user?: string
}

const list = (variables: Variables): Command =>
  local(new Command('list'))
    .summary('show keys, without their values: nobody has those any more')
    .description('Shows every key, or those of one user. Values are not kept, so only their ends are shown.')
    .option('--user <email>', 'only those of this user')
    .addHelpText('after', '\nExample:\n  $ workspace-admin keys list --user owner@example.com')
    .action(async (options: ListOptions) => {
      const found = await onDatabase(variables, options, async ({ db }) => {
        if (options.user !== undefined && !(await getByEmail(db, options.user)))
          throw failure(EXIT.not_found, 'No user has that address. `users list` shows all.')
        return store.listWithOwners(db, options.user ?? null)
      })
      if (options.json) {
        const shown = found.map(({ user_email, ...key }) => ({ ...serializeApiKey(key), user_email }))
        return console.log(JSON.stringify(shown))
      }
      console.log(
        table(
          found.map(({ id, label, user_email: user, mask_value, scopes, last_used_at, expires_at }) => ({
            id,
            label,
            user,
            mask_value,
            scopes: scopes.join(','),
            last_used_at,
            expires_at,
          })),
        ),
      )
    })

const revoke = (variables: Variables): Command =>
  local(new Command('revoke'))
    .summary('end a key, at once and for good')
    .description('Ends a key, at once and for good, also on servers that are running.')
    .argument('<id>', "the key's id, from `keys list`; not its value")
    .addHelpText('after', '\nExample:\n  $ workspace-admin keys revoke 4fGh7Kq2Lm1')
    .action(async (id: string, options: LocalOptions) => {
      if (/^ph[xc]_/.test(id)) throw usage("That is a key's value. Send its id, which `keys list` shows.")
      const removed = await onDatabase(variables, options, ({ db }) => store.remove(db, id))
      if (!removed) throw failure(EXIT.not_found, 'There is no key with that id. `keys list` shows all.')
      console.log(options.json ? JSON.stringify({ id, revoked: true }) : `The key ${id} is revoked.`)
    })

function time(text: string): string {
  try {
    return parseIsoTime(text, '--expires')
  } catch (error) {
    throw usage((error as Error).message)
  }
}
