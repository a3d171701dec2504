import { client } from '../generated/hey-api/client.gen.js'
import {
  batchExportsCreate,
  type Destination,
  type DestinationCreateWritable as DestinationCreate,
  type Domain,
  organizationsCreate,
  organizationsDelete,
  organizationsList,
  organizationsUpdate,
} from '../generated/hey-api/index.js'
import { present, type RoundTrip } from './round-trip.js'

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

export async function roundTrip(baseUrl: string, key: string): Promise<RoundTrip> {
  client.setConfig({ baseUrl, auth: key })
  const created = present((await organizationsCreate({ body: { name: 'By hey-api' } })).data)
  const path = { id: created.id }
  const list = present((await organizationsList({ query: { limit: 10 } })).data)
  const changed = present((await organizationsUpdate({ path, body: { name: 'Changed' } })).data)
  const { error, response } = await organizationsUpdate({ path, body: { name: '' } })
  const { type, code, attr } = present(error)
  const exported = await batchExportsCreate({
    path: { organization_id: created.id },
    body: { name: 'x', interval: 'day', destination: { type: 'File', config: { prefix: '{year}' } } },
  })
  const { destination } = present(exported.data)
  const deleted = await organizationsDelete({ path })
  return {
    created: created.name,
    listed: list.results.map(({ name }) => name),
    changed: changed.name,
    teams: changed.teams.length,
    prefix: destination.type === 'File' ? destination.config.prefix : undefined,
    rejected: { status: present(response).status, type, code, attr },
    deleted: present(deleted.response).status,
  }
}
