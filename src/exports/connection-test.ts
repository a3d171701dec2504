/** Tests a destination as callers send it, with its own credentials or with those of an integration. */

import type { Config } from '../config.ts'
import type { components } from '../contract/openapi.ts'
import { storedJson } from '../json/stored.ts'
import type { Outbound } from '../outbound/guard.ts'
import type { Db } from '../sql/db.ts'
import type { IntegrationRow } from '../store/integrations.ts'
import type { Vault } from '../store/vault.ts'
import { requireNoOverride, withoutCredentials } from './credentials.ts'
import type { DeliveryProcesses } from './delivery-processes.ts'
import type { DestinationConfig } from './destination.ts'
import { describeMissingCredential, type NewDestination, newDestination } from './export-destination.ts'
import { roleBucketsOf } from './role-buckets.ts'
import {
  CONFIG_OF_EXPORT,
  CONFIG_OF_INTEGRATION,
  type ExportDestination,
  effectiveSettings,
  validateSettings,
} from './settings.ts'

type DestinationTest = components['schemas']['DestinationTest']

export interface TestTools {
  db: Db
  vault: Vault
  outbound: Outbound
  processes: Pick<DeliveryProcesses, 'testDestination'>
  files_root: string
  config: Pick<Config, 'OUTBOUND_ALLOW' | 'S3_ENDPOINT_URL' | 'S3_ROLE_BUCKETS'>
}

export async function testExport(
  tools: TestTools,
  { organization_id, project_id }: { organization_id: string; project_id?: number },
  input: NewDestination,
): Promise<DestinationTest> {
  const destination = await newDestination(tools.db, organization_id, input)
  return test(tools, { organization_id, owner: project_id ?? organization_id }, destination)
}

/** Tests the credentials with the config of an export. */
export function testIntegration(
  tools: TestTools,
  integration: IntegrationRow,
  config: DestinationConfig,
): Promise<DestinationTest> {
  const credentials = storedJson<DestinationConfig>(integration.config)
  const { kind: type, organization_id } = integration
  requireNoOverride(type, config, credentials, CONFIG_OF_INTEGRATION)
  const own = withoutCredentials(type, config, credentials)
  const owner = organization_id
  return test(tools, { organization_id, owner }, { type, integration, config: own }, CONFIG_OF_INTEGRATION)
}

async function test(
  { vault, outbound, processes, files_root, config }: TestTools,
  { organization_id, owner }: { organization_id: string; owner: string | number },
  destination: ExportDestination,
  field = CONFIG_OF_EXPORT,
): Promise<DestinationTest> {
  const settings = effectiveSettings(vault, destination)
  const role_buckets = roleBucketsOf(config.S3_ROLE_BUCKETS, organization_id)
  await validateSettings(settings, outbound, role_buckets, field).catch((error) => {
    throw field === CONFIG_OF_EXPORT ? describeMissingCredential(error, destination) : error
  })
  const { OUTBOUND_ALLOW: outbound_allow, S3_ENDPOINT_URL: s3_endpoint } = config
  const steps = await processes.testDestination({ ...settings, files_root, outbound_allow, s3_endpoint }, owner)
  return {
    passed: steps.every(({ status }) => status !== 'failed'),
    steps: steps.map((step) => ({ ...step, attr: step.attr?.replace(CONFIG_OF_EXPORT, field) ?? null })),
  }
}
