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
export const inFull: DestinationCreate = { type: 'S3', config: { ...bucket, ...keys, compression: null } }
// @ts-expect-error The secrets are required.
export const withoutSecrets: DestinationCreate = { type: 'S3', config: bucket }
// @ts-expect-error This is the config of another type.
export const ofAnotherType: DestinationCreate = { type: 'HTTP', config: { ...bucket, ...keys } }
// @ts-expect-error Answers hold no secrets.
export const secretOf = (destination: Destination) => destination.type === 'HTTP' && destination.config.token
export const bucketOf = (destination: Destination) => destination.type === 'S3' && destination.config.bucket_name
export const unset: Domain['sso_enforcement'] = ''
// @ts-expect-error No provider of this name.
export const unknown: Domain['sso_enforcement'] = 'okta'

/** The address is in the generated client. */
export async function roundTrip(_: string, key: string): Promise<RoundTrip> {
  const options = { headers: { authorization: `Bearer ${key}` } }
  const made = await organizationsCreate({ name: 'By orval' }, options)
  if (made.status !== 201) throw new Error(made.data.detail)
  const { id } = made.data
  const list = await organizationsList({ limit: 10 }, options)
  if (list.status !== 200) throw new Error(list.data.detail)
  const changed = await organizationsUpdate(id, { name: 'Changed' }, options)
  if (changed.status !== 200) throw new Error(changed.data.detail)
  const refused = await organizationsUpdate(id, { name: '' }, options)
  if (refused.status === 200) throw new Error('an empty name was taken')
  const { type, code, attr } = refused.data
  const exported = await batchExportsCreate(
    id,
    { name: 'x', interval: 'day', destination: { type: 'File', config: { prefix: '{year}' } } },
    options,
  )
  if (exported.status !== 201) throw new Error(exported.data.detail)
  const { destination } = exported.data
  const deleted = await organizationsDelete(id, options)
  return {
    made: made.data.name,
    listed: list.data.results.map(({ name }) => name),
    changed: changed.data.name,
    teams: changed.data.teams.length,
    prefix: destination.type === 'File' ? destination.config.prefix : undefined,
    refused: { status: refused.status, type, code, attr },
    deleted: deleted.status,
  }
}
