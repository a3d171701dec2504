/** The destination of an export as callers send it: with its own credentials, or with those of an integration. */

import { isDeepStrictEqual } from 'node:util'
import { isUuid } from '../auth/access.ts'
import { AppError, invalid } from '../errors.ts'
import { storedJson } from '../json/stored.ts'
import type { Db } from '../sql/db.ts'
import type { BatchExportRow } from '../store/batch_exports.ts'
import * as integrations from '../store/integrations.ts'
import type { Vault } from '../store/vault.ts'
import { isCredentialPath, requireNoOverride, withoutCredentials } from './credentials.ts'
import type { DestinationConfig, DestinationType } from './destination.ts'
import { type ExportDestination, mergeConfig, settingsToUpdate, withoutEmptyParts } from './settings.ts'

export interface DestinationInput {
  type?: DestinationType
  /** Null for credentials of its own. */
  integration?: string | null
  /** The number of the integration, instead of its id. */
  integration_id?: number | null
  config?: DestinationConfig
}

export type NewDestination = DestinationInput & { type: DestinationType }

const INTEGRATION = 'destination__integration'
const NUMBER = 'destination__integration_id'

type Found = integrations.CountedIntegrationRow | null

type Reference = Pick<DestinationInput, 'integration' | 'integration_id'>

/** Throws `does_not_exist` for an integration that the organization does not have. */
async function findIntegration(
  db: Db,
  organization_id: string,
  { integration: id, integration_id: number }: Reference,
  type: DestinationType,
): Promise<integrations.IntegrationRow | null> {
  const found = id === undefined ? await byNumber(db, organization_id, number) : await byId(db, organization_id, id)
  if (id !== undefined && number !== undefined && number !== (found?.number ?? null))
    throw invalid(NUMBER, 'The "integration" and the "integration_id" name different integrations. Send one of them.')
  if (found && found.kind !== type)
    throw invalid(
      id === undefined ? NUMBER : INTEGRATION,
      `This integration has the kind ${found.kind}. Send one of the kind ${type}, or change the type of the destination.`,
    )
  return found
}

async function byId(db: Db, organization_id: string, id: string | null): Promise<Found> {
  if (id === null) return null
  const found = isUuid(id) ? await integrations.get(db, organization_id, id.toLowerCase()) : undefined
  if (!found) throw missingIntegration()
  return found
}

async function byNumber(db: Db, organization_id: string, number: number | null | undefined): Promise<Found> {
  if (number == null) return null
  const found = Number.isSafeInteger(number) ? await integrations.numbered(db, organization_id, number) : undefined
  if (!found) throw missingIntegration(NUMBER)
  return found
}

export const missingIntegration = (attr = INTEGRATION): AppError =>
  invalid(attr, 'The organization has no such integration. Send one of its integrations.', 'does_not_exist')

export async function newDestination(
  db: Db,
  organization_id: string,
  { type, config = {}, ...reference }: NewDestination,
): Promise<ExportDestination> {
  const integration = await findIntegration(db, organization_id, reference, type)
  return { type, integration, config: withoutEmptyParts(type, configOf(type, config, integration)) }
}

/** The keys of the export. Throws for a key that the integration sets to another value. */
function configOf(
  type: DestinationType,
  sent: DestinationConfig,
  integration: integrations.IntegrationRow | null,
): DestinationConfig {
  if (!integration) return sent
  const credentials = storedJson<DestinationConfig>(integration.config)
  requireNoOverride(type, sent, credentials)
  return withoutCredentials(type, sent, credentials)
}

/**
 * A new type replaces the config and the integration; the same type merges the config key by key. Undefined when nothing
 * changes.
 */
export async function changedDestination(
  { db, vault }: { db: Db; vault: Vault },
  organization_id: string,
  row: BatchExportRow,
  { type = row.destination_type, config: sent = {}, ...reference }: DestinationInput,
): Promise<ExportDestination | undefined> {
  const stored = settingsToUpdate(vault, row, sent)
  const isSameType = type === stored.type
  const isKept = isSameType && reference.integration === undefined && reference.integration_id === undefined
  const chosen = isKept ? { integration: row.integration_id } : reference
  const integration = await findIntegration(db, organization_id, chosen, type)
  const kept = integration ? withoutCredentials(type, stored.config, storedJson(integration.config)) : stored.config
  const own = configOf(type, sent, integration)
  const config = withoutEmptyParts(type, isSameType ? mergeConfig(kept, own) : own)
  const after = { type, integration, config }
  if (isSameType && (integration?.id ?? null) === row.integration_id && isDeepStrictEqual(after.config, stored.config))
    return undefined
  return after
}

/** A key that the caller cannot send is missing in the integration, so the error is about the integration. */
export function describeMissingCredential(error: unknown, { type, integration }: ExportDestination): unknown {
  if (!integration || !(error instanceof AppError) || !error.attr) return error
  const path = error.attr.split('__').slice(2)
  if (!isCredentialPath(type, path, storedJson(integration.config))) return error
  return invalid(
    INTEGRATION,
    `The integration does not have the credentials for this config: "${path.join('.')}" is missing or invalid. Change the integration, or send another one.`,
    error.code,
  )
}
