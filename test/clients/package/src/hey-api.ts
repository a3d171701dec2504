import { client } from '../generated/hey-api/client.gen.js'
import {
  organizationsCreate,
  organizationsDelete,
  organizationsList,
  organizationsUpdate,
} from '../generated/hey-api/index.js'
import { type RoundTrip, there } from './round-trip.js'

export async function roundTrip(baseUrl: string, key: string): Promise<RoundTrip> {
  client.setConfig({ baseUrl, auth: key })
  const made = there((await organizationsCreate({ body: { name: 'By hey-api' } })).data)
  const path = { id: made.id }
  const list = there((await organizationsList({ query: { limit: 10 } })).data)
  const changed = there((await organizationsUpdate({ path, body: { name: 'Changed' } })).data)
  const { error, response } = await organizationsUpdate({ path, body: { name: '' } })
  const { type, code, attr } = there(error)
  const deleted = await organizationsDelete({ path })
  return {
    made: made.name,
    listed: list.results.map(({ name }) => name),
    changed: changed.name,
    teams: changed.teams.length,
    refused: { status: there(response).status, type, code, attr },
    deleted: there(deleted.response).status,
  }
}
