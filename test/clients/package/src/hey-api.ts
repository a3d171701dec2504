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
import { type RoundTrip, there } from './round-trip.js'

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

export async function roundTrip(baseUrl: string, key: string): Promise<RoundTrip> {
  client.setConfig({ baseUrl, auth: key })
  const made = there((await organizationsCreate({ body: { name: 'By hey-api' } })).data)
  const path = { id: made.id }
  const list = there((await organizationsList({ query: { limit: 10 } })).data)
  const changed = there((await organizationsUpdate({ path, body: { name: 'Changed' } })).data)
  const { error, response } = await organizationsUpdate({ path, body: { name: '' } })
  const { type, code, attr } = there(error)
  const exported = await batchExportsCreate({
    path: { organization_id: made.id },
    body: { name: 'x', interval: 'day', destination: { type: 'File', config: { prefix: '{year}' } } },
  })
  const { destination } = there(exported.data)
  const deleted = await organizationsDelete({ path })
  return {
    made: made.name,
    listed: list.results.map(({ name }) => name),
    changed: changed.name,
    teams: changed.teams.length,
    prefix: destination.type === 'File' ? destination.config.prefix : undefined,
    refused: { status: there(response).status, type, code, attr },
    deleted: there(deleted.response).status,
  }
}
