import {
  batchExportsCreate,
  type Destination,
  type DestinationCreate,
  type Domain,
  organizationsCreate,
  organizationsDelete,
  organizationsList,
  organizationsUpdate,
} from '../generated/orval.js'
import type { RoundTrip } from './round-trip.js'

const keys = { aws_access_key_id: 'a', aws_secret_access_key: 's' }
const bucket = { bucket_name: 'b', region: 'us-east-1', prefix: 'p' }
export const withSecrets: DestinationCreate = { type: 'S3', config: { ...bucket, ...keys, compression: null } }
// @ts-expect-error The secrets are required.
export const withoutSecrets: DestinationCreate = { type: 'S3', config: bucket }
// @ts-expect-error This is the config of another type.
export const ofAnotherType: DestinationCreate = { type: 'HTTP', config: { ...bucket, ...keys } }
// @ts-expect-error Responses do not contain secrets.
export const secretOf = (destination: Destination) => destination.type === 'HTTP' && destination.config.token
export const bucketOf = (destination: Destination) => destination.type === 'S3' && destination.config.bucket_name
export const unset: Domain['sso_enforcement'] = ''
// @ts-expect-error This provider does not exist.
export const unknown: Domain['sso_enforcement'] = 'okta'

/** The address is in the generated client. */
export async function roundTrip(_: string, key: string): Promise<RoundTrip> {
  const options = { headers: { authorization: `Bearer ${key}` } }
  const created = await organizationsCreate({ name: 'By orval' }, options)
  if (created.status !== 201) throw new Error(created.data.detail)
  const { id } = created.data
  const list = await organizationsList({ limit: 10 }, options)
  if (list.status !== 200) throw new Error(list.data.detail)
  const changed = await organizationsUpdate(id, { name: 'Changed' }, options)
  if (changed.status !== 200) throw new Error(changed.data.detail)
  const rejected = await organizationsUpdate(id, { name: '' }, options)
  if (rejected.status === 200) throw new Error('an empty name was accepted')
  const { type, code, attr } = rejected.data
  const exported = await batchExportsCreate(
    id,
    { name: 'x', interval: 'day', destination: { type: 'File', config: { prefix: '{year}' } } },
    options,
  )
  if (exported.status !== 201) throw new Error(exported.data.detail)
  const { destination } = exported.data
  const deleted = await organizationsDelete(id, options)
  return {
    created: created.data.name,
    listed: list.data.results.map(({ name }) => name),
    changed: changed.data.name,
    teams: changed.data.teams.length,
    prefix: destination.type === 'File' ? destination.config.prefix : undefined,
    rejected: { status: rejected.status, type, code, attr },
    deleted: deleted.status,
  }
}
