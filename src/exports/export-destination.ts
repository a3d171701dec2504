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
import { type ExportDestination, mergeConfig, settingsToUpdate } from './settings.ts'

export interface DestinationInput {
  type?: DestinationType
  /** Null for credentials of its own. */
  integration?: string | null
  config?: DestinationConfig
}

export type NewDestination = DestinationInput & { type: DestinationType }

const INTEGRATION = 'destination__integration'

/** Throws `does_not_exist` for an integration that the organization does not have. */
async function findIntegration(
  db: Db,
  organization_id: string,
  id: string | null | undefined,
  type: DestinationType,
): Promise<integrations.IntegrationRow | null> {
  if (id == null) return null
  const found = isUuid(id) ? await integrations.get(db, organization_id, id.toLowerCase()) : undefined
  if (!found) throw missingIntegration()
  if (found.kind !== type)
    throw invalid(
      INTEGRATION,
      `This integration has the kind ${found.kind}. Send one of the kind ${type}, or change the type of the destination.`,
    )
  return found
}

export const missingIntegration = (): AppError =>
  invalid(
    INTEGRATION,
    'The organization has no such integration. Send the id of one of its integrations.',
    'does_not_exist',
  )

export async function newDestination(
  db: Db,
  organization_id: string,
  { type, integration: id, config = {} }: NewDestination,
): Promise<ExportDestination> {
  const integration = await findIntegration(db, organization_id, id, type)
  return { type, integration, config: configOf(type, config, integration) }
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
  { type = row.destination_type, integration: id, config: sent = {} }: DestinationInput,
): Promise<ExportDestination | undefined> {
  const stored = settingsToUpdate(vault, row, sent)
  const isSameType = type === stored.type
  const integration_id = id === undefined && isSameType ? row.integration_id : id
  const integration = await findIntegration(db, organization_id, integration_id, type)
  const kept = integration ? withoutCredentials(type, stored.config, storedJson(integration.config)) : stored.config
  const own = configOf(type, sent, integration)
  const after = { type, integration, config: isSameType ? mergeConfig(kept, own) : own }
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
