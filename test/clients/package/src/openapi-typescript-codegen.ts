import {
  ApiError,
  type BatchExportCreate,
  BatchExportsService,
  OpenAPI,
  OrganizationsService,
} from '../generated/openapi-typescript-codegen/index.js'
import type { RoundTrip } from './round-trip.js'

export const whole: BatchExportCreate = { name: 'x', interval: 'day', destination: { type: 'File', config: {} } }
// @ts-expect-error The interval is required.
export const withoutInterval: BatchExportCreate = { name: 'x', destination: { type: 'File', config: {} } }
// @ts-expect-error The name is a text.
export const withNumber: BatchExportCreate = { ...whole, name: 5 }

export async function roundTrip(baseUrl: string, key: string): Promise<RoundTrip> {
  Object.assign(OpenAPI, { BASE: baseUrl, TOKEN: key })
  const created = await OrganizationsService.organizationsCreate({
    requestBody: { name: 'By openapi-typescript-codegen' },
  })
  const { id } = created
  const list = await OrganizationsService.organizationsList({ limit: 10 })
  const changed = await OrganizationsService.organizationsUpdate({ id, requestBody: { name: 'Changed' } })
  const rejected = await OrganizationsService.organizationsUpdate({ id, requestBody: { name: '' } }).catch(
    (error: unknown) => error,
  )
  if (!(rejected instanceof ApiError)) throw new Error('an empty name was accepted')
  const { type, code, attr } = rejected.body
  const exported = await BatchExportsService.batchExportsCreate({
    organizationId: id,
    requestBody: { ...whole, destination: { type: 'File', config: { prefix: '{year}' } } },
  })
  const { config } = exported.destination
  await OrganizationsService.organizationsDelete({ id })
  const gone = await OrganizationsService.organizationsRetrieve({ id }).catch((error: unknown) => error)
  return {
    created: created.name,
    listed: list.results.map(({ name }) => name),
    changed: changed.name,
    teams: changed.teams.length,
    prefix: config && 'prefix' in config && typeof config.prefix === 'string' ? config.prefix : undefined,
    rejected: { status: rejected.status, type, code, attr },
    // This client returns no status.
    deleted: gone instanceof ApiError && gone.status === 404 ? 204 : 0,
  }
}
