/** Integrations: credentials that are stored once and used by several exports. */
import { isDeepStrictEqual } from 'node:util'
import { isUuid } from '../auth/access.ts'
import { AppError, notFound } from '../errors.ts'
import type { Ids } from '../ids.ts'
import type { Outbound } from '../outbound/guard.ts'
import { type Db, isForeignKeyViolation } from '../sql/db.ts'
import { record, type UserActor } from '../store/activity_log.ts'
import { changedFields, isEmpty } from '../store/changes.ts'
import { type FieldChange, fieldChanges, secretChange } from '../store/field-changes.ts'
import * as store from '../store/integrations.ts'
import { ownerOf } from '../store/secrets.ts'
import type { Vault } from '../store/vault.ts'
import type { DestinationConfig } from './destination.ts'
import {
  CONFIG_OF_INTEGRATION,
  credentialsToUpdate,
  type DestinationSettings,
  encryptSecrets,
  mergeConfig,
  requireResentSecrets,
  splitSecrets,
  validateCredentials,
} from './settings.ts'

export interface IntegrationService {
  db: Db
  ids: Ids
  now: () => string
  vault: Vault
  outbound: Outbound
}

export async function get(db: Db, organization_id: string, id: string): Promise<store.CountedIntegrationRow> {
  const row = isUuid(id) ? await store.get(db, organization_id, id.toLowerCase()) : undefined
  if (!row) throw notFound()
  return row
}

export async function create(
  { db, ids, now, vault, outbound }: IntegrationService,
  actor: UserActor,
  organization_id: string,
  { name, kind, config }: { name: string; kind: store.IntegrationKind; config: DestinationConfig },
): Promise<store.CountedIntegrationRow> {
  const settings = { type: kind, config }
  await validateCredentials(settings, outbound)
  const id = ids.uuid()
  const time = now()
  const times = { created_at: time, last_updated_at: time, secrets_changed_at: time }
  const row = { id, organization_id, name, kind, ...encryptCredentials(vault, id, settings), ...times }
  const changes = integrationChanges(null, { name, ...settings })
  const created = db.tx(async (tx) => {
    const integration = await store.create(tx, row)
    await recordIntegration(tx, ids, time, actor, 'created', row, changes)
    return integration
  })
  return created.catch((error) => {
    throw isForeignKeyViolation(error) ? notFound() : error
  })
}

/** Throws `not_found` when the integration was deleted. */
export async function update(
  service: IntegrationService,
  actor: UserActor,
  found: store.IntegrationRow,
  input: { name?: string; config?: DestinationConfig },
): Promise<store.CountedIntegrationRow> {
  const { db, ids, now, vault, outbound } = service
  const { id, organization_id } = found
  const { name = found.name, config: sent = {} } = input
  const before = isEmpty(sent) ? undefined : credentialsToUpdate(vault, found, sent)
  const after = before && { ...before, config: mergeConfig(before.config, sent) }
  const isChanged = before !== undefined && !isDeepStrictEqual(before, after)
  if (isChanged && after) {
    await validateCredentials(after, outbound)
    requireResentSecrets(before, sent, after, CONFIG_OF_INTEGRATION)
  }
  const isDone = await db.tx(async (tx) => {
    const locked = await store.lock(tx, id)
    if (!locked) throw notFound()
    // A concurrent update changed the config: validate again.
    if (locked.config !== found.config || locked.secrets !== found.secrets) return false
    const time = now()
    const isRotated = isChanged && after && !isDeepStrictEqual(secretsOf(before), secretsOf(after))
    const changes: store.IntegrationChanges = changedFields(locked, {
      ...(input.name !== undefined && { name }),
      ...(isChanged && after && encryptCredentials(vault, id, after)),
      ...(isRotated && { secrets_changed_at: time }),
    })
    if (isEmpty(changes)) return true
    await store.update(tx, id, { ...changes, last_updated_at: time })
    const recorded = integrationChanges({ name: locked.name, ...before }, { name, ...after })
    await recordIntegration(tx, ids, time, actor, 'updated', { ...locked, name }, recorded)
    return true
  })
  const row = await get(db, organization_id, id)
  return isDone ? row : update(service, actor, row, input)
}

/** Throws `conflict` while exports use the integration. */
export async function remove(
  { db, ids, now }: IntegrationService,
  actor: UserActor,
  { id }: store.IntegrationRow,
): Promise<void> {
  await db.tx(async (tx) => {
    // An export that is created concurrently waits for this lock and then misses the integration.
    const locked = await store.lock(tx, id)
    if (!locked) throw notFound()
    const count = await store.countExports(tx, id)
    if (count > 0) throw inUse(count)
    await store.remove(tx, id)
    await recordIntegration(tx, ids, now(), actor, 'deleted', locked)
  })
}

const inUse = (count: number): AppError =>
  new AppError({
    code: 'conflict',
    detail:
      count === 1
        ? '1 batch export uses this integration. Give it other credentials, or delete it first.'
        : `${count} batch exports use this integration. Give them other credentials, or delete them first.`,
  })

function encryptCredentials(
  vault: Vault,
  id: string,
  settings: DestinationSettings,
): Pick<store.IntegrationRow, 'config' | 'secrets'> {
  const { open, secrets } = encryptSecrets(vault, ownerOf('integrations', id), settings)
  return { config: open, secrets }
}

const secretsOf = ({ type, config }: DestinationSettings): DestinationConfig => splitSecrets(type, config).secret

/** The fields that callers set. Each key of the config is a separate field; secrets have no values. */
type Recorded = { name: string } & Partial<DestinationSettings>

function integrationChanges(before: Recorded | null, after: Recorded): FieldChange[] {
  const [old, current] = [recordedFields(before), recordedFields(after)]
  const secrets = Object.keys({ ...old.secret, ...current.secret })
  return [
    ...fieldChanges(old.open, current.open),
    ...secrets
      .filter((key) => !isDeepStrictEqual(old.secret[key], current.secret[key]))
      .map((key) => secretChange(`config__${key}`)),
  ]
}

function recordedFields(recorded: Recorded | null): { open: object; secret: DestinationConfig } {
  if (!recorded) return { open: {}, secret: {} }
  const { name, type, config = {} } = recorded
  if (!type) return { open: { name }, secret: {} }
  const { open, secret } = splitSecrets(type, config)
  const fields = Object.entries(open).map(([key, value]) => [`config__${key}`, value])
  return { open: { name, kind: type, ...Object.fromEntries(fields) }, secret }
}

function recordIntegration(
  tx: Db,
  ids: Ids,
  now: string,
  actor: UserActor,
  activity: 'created' | 'updated' | 'deleted',
  { id, organization_id, name }: store.IntegrationRow,
  changes: FieldChange[] = [],
): Promise<void> {
  const item = { item_id: id, item_name: name }
  return record(tx, ids, now, actor, { organization_id, area: 'integrations', activity, ...item, changes })
}
