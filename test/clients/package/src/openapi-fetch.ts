import createClient from 'openapi-fetch'
import type { paths } from '../generated/openapi-typescript.js'
import { type RoundTrip, there } from './round-trip.js'

export async function roundTrip(baseUrl: string, key: string): Promise<RoundTrip> {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } })
  const made = there((await client.POST('/api/organizations/', { body: { name: 'By openapi-fetch' } })).data)
  const params = { path: { id: made.id } }
  const list = there((await client.GET('/api/organizations/', { params: { query: { limit: 10 } } })).data)
  const changed = await client.PATCH('/api/organizations/{id}/', { params, body: { name: 'Changed' } })
  const { error, response } = await client.PATCH('/api/organizations/{id}/', { params, body: { name: '' } })
  const { type, code, attr } = there(error)
  const deleted = await client.DELETE('/api/organizations/{id}/', { params })
  return {
    made: made.name,
    listed: list.results.map(({ name }) => name),
    changed: there(changed.data).name,
    teams: there(changed.data).teams.length,
    refused: { status: response.status, type, code, attr },
    deleted: deleted.response.status,
  }
}
