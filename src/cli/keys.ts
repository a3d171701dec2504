import { Command } from 'commander'
import { serializeApiKey } from '../api/api_keys.ts'
import { parseIsoTime } from '../api/time.ts'
import { issue, recordKeyActivity } from '../auth/api_keys.ts'
import type { Variables } from '../config.ts'
import { contract, SINGLE_LINE } from '../contract/table.ts'
import { OPERATOR } from '../store/activity_log.ts'
import * as store from '../store/api_keys.ts'
import { UNRESTRICTED } from '../store/key-restrictions.ts'
import { getByEmail } from '../store/users.ts'
import { commandError, describeFailure, EXIT, usageError } from './failure.ts'
import { isJson, jsonOutput, printJson, printResult } from './json-output.ts'
import { type LocalOptions, withDatabase, withLocalOptions } from './local.ts'
import { printRows } from './print.ts'
import { databaseFlag } from './quote.ts'

const { schemas } = contract.components
const SCOPES: string[] = schemas.Scope.enum
const KEY_FIELDS = Object.keys(schemas.ApiKey.properties)
const MAX_LABEL_LENGTH: number = schemas.ApiKeyWrite.properties.label.maxLength

export const keysCommand = (variables: Variables): Command =>
  new Command('keys')
    .description(
      'Creates, lists and revokes the API keys of any user, directly on the database. Use it to regain access after losing a key.',
    )
    .addCommand(createCommand(variables))
    .addCommand(listCommand(variables))
    .addCommand(revokeCommand(variables))

interface CreateOptions extends LocalOptions {
  user: string
  scopes: string
  label: string
  expires?: string
}

const createCommand = (variables: Variables): Command =>
  withLocalOptions(new Command('create'), KEY_FIELDS)
    .summary('create a key for a user and print its value once')
    .description('Creates a key for a user and prints its value once. A running server accepts it immediately.')
    .requiredOption('--user <email>', 'the user that the key acts as')
    .requiredOption('--scopes <list>', 'the scopes, separated by commas')
    .option('--label <text>', 'a name for the key', 'Created on the command line')
    .option('--expires <time>', 'the expiry time in ISO 8601 (default: never)')
    .addHelpText(
      'after',
      `
Scopes (a :write scope includes :read; * includes all scopes):
${SCOPES.map((scope) => `  ${scope}`).join('\n')}

Examples:
  $ workspace-admin keys create --user owner@example.com --scopes '*'
  $ workspace-admin keys create --user owner@example.com --scopes query:read,batch_export:read --expires 2027-01-01
  $ export WORKSPACE_KEY=$(workspace-admin keys create --user owner@example.com --scopes '*' --json value --raw)`,
    )
    .action(async (options: CreateOptions) => {
      const scopes = [...new Set(options.scopes.split(',').map((scope) => scope.trim()))]
      const unknown = scopes.find((scope) => !SCOPES.includes(scope))
      if (unknown !== undefined) throw usageError(`"${unknown}" is not a scope. Choose from ${SCOPES.join(', ')}.`)
      const label = options.label.trim()
      if (!label || label.length > MAX_LABEL_LENGTH || !new RegExp(SINGLE_LINE, 'u').test(label))
        throw usageError(`--label must have 1 to ${MAX_LABEL_LENGTH} characters on one line.`)
      const expires_at = options.expires === undefined ? null : parseExpiry(options.expires)
      const key = await withDatabase(variables, options, async ({ db, ids, now }) => {
        if (expires_at !== null && expires_at <= now)
          throw usageError('--expires is in the past. Use a later time, or omit it.')
        const user = await getByEmail(db, options.user)
        if (!user)
          throw commandError(
            EXIT.not_found,
            'No user has this address. Run `users list` to list users, or add one with `users create`.',
          )
        const input = { user_id: user.id, label, scopes, restrictions: UNRESTRICTED, expires_at }
        return db.tx(async (tx) => {
          const created = await issue(tx, ids, now, input)
          await recordKeyActivity(tx, ids, now, OPERATOR, 'created', { after: created })
          return created
        })
      })
      await printResult(options, serializeApiKey(key), [
        key.value,
        '',
        `Key ${key.id} of ${options.user}. Store the value now: it is not shown again. Revoke it with`,
        '',
        `  workspace-admin keys revoke ${key.id}${databaseFlag(options.database)}`,
      ])
    })

interface ListOptions extends LocalOptions {
  user?: string
}

const listCommand = (variables: Variables): Command =>
  withLocalOptions(new Command('list'), [...KEY_FIELDS, 'user_email'])
    .summary('list keys, without their values')
    .description('Lists all keys, or those of one user. Values are not stored, so only a masked form is shown.')
    .option('--user <email>', 'only list keys of this user')
    .addHelpText('after', '\nExample:\n  $ workspace-admin keys list --user owner@example.com')
    .action(async (options: ListOptions) => {
      const found = await withDatabase(variables, options, async ({ db }) => {
        if (options.user !== undefined && !(await getByEmail(db, options.user)))
          throw commandError(EXIT.not_found, 'No user has this address. Run `users list` to list users.')
        return store.listWithOwners(db, options.user ?? null)
      })
      const shown = found.map(({ user_email, ...key }) => ({ ...serializeApiKey(key), user_email }))
      const rows = found.map(({ id, label, user_email: user, mask_value, scopes, last_used_at, expires_at }) => ({
        id,
        label,
        user,
        mask_value,
        scopes: scopes.join(','),
        last_used_at,
        expires_at,
      }))
      if (isJson(options)) return printJson(shown, jsonOutput(options))
      printRows(rows, undefined, '--json <fields>')
    })

const revokeCommand = (variables: Variables): Command =>
  withLocalOptions(new Command('revoke'), ['id', 'revoked'])
    .summary('revoke a key immediately and permanently')
    .description('Revokes a key immediately and permanently, also on running servers.')
    .argument('<id>', "the key's id, from `keys list`; not its value")
    .addHelpText('after', '\nExample:\n  $ workspace-admin keys revoke 4fGh7Kq2Lm1')
    .action(async (id: string, options: LocalOptions) => {
      if (/^ph[xc]_/.test(id)) throw usageError('This is the value of a key. Use its id from `keys list`.')
      const removed = await withDatabase(variables, options, ({ db, ids, now }) =>
        db.tx(async (tx) => {
          const key = await store.lockApiKey(tx, id)
          if (!key) return false
          await recordKeyActivity(tx, ids, now, OPERATOR, 'revoked', { before: key })
          return store.remove(tx, id)
        }),
      )
      if (!removed) throw commandError(EXIT.not_found, 'No key has this id. Run `keys list` to list keys.')
      await printResult(options, { id, revoked: true }, `Revoked the key ${id}.`)
    })

function parseExpiry(text: string): string {
  try {
    return parseIsoTime(text, '--expires')
  } catch (error) {
    throw usageError(describeFailure(error).message)
  }
}
