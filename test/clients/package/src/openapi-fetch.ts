import createClient from 'openapi-fetch'
import type { components, paths } from '../generated/openapi-typescript.js'
import { present, type RoundTrip } from './round-trip.js'

type DestinationCreate = components['schemas']['DestinationCreate']
type Destination = components['schemas']['Destination']
type Domain = components['schemas']['Domain']

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
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } })
  const created = present((await client.POST('/api/organizations/', { body: { name: 'By openapi-fetch' } })).data)
  const params = { path: { id: created.id } }
  const list = present((await client.GET('/api/organizations/', { params: { query: { limit: 10 } } })).data)
  const changed = await client.PATCH('/api/organizations/{id}/', { params, body: { name: 'Changed' } })
  const { error, response } = await client.PATCH('/api/organizations/{id}/', { params, body: { name: '' } })
  const { type, code, attr } = present(error)
  const exported = await client.POST('/api/organizations/{organization_id}/batch_exports/', {
    params: { path: { organization_id: created.id } },
    body: { name: 'x', interval: 'day', destination: { type: 'File', config: { prefix: '{year}' } } },
  })
  const { destination } = present(exported.data)
  const deleted = await client.DELETE('/api/organizations/{id}/', { params })
  return {
    created: created.name,
    listed: list.results.map(({ name }) => name),
    changed: present(changed.data).name,
    teams: present(changed.data).teams.length,
    prefix: destination.type === 'File' ? destination.config.prefix : undefined,
    rejected: { status: response.status, type, code, attr },
    deleted: deleted.response.status,
  }
}
