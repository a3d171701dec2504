import { organizationsCreate, organizationsDelete, organizationsList, organizationsUpdate } from '../generated/orval.js'
import type { RoundTrip } from './round-trip.js'

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
  const deleted = await organizationsDelete(id, options)
  return {
    made: made.data.name,
    listed: list.data.results.map(({ name }) => name),
    changed: changed.data.name,
    teams: changed.data.teams.length,
    refused: { status: refused.status, type, code, attr },
    deleted: deleted.status,
  }
}
