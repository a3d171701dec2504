import type { Integration } from './queries.ts'

/** The most telling key of each kind first. */
const KEYS = ['host', 'url', 'endpoint_url', 'account', 'region']

/** The receiver of the secrets, as a short text for lists. */
export function receiverOf({ kind, config }: Integration): string {
  const value = KEYS.map((key) => config[key]).find(Boolean)
  if (value !== undefined) return String(value).replace(/^https?:\/\//, '')
  return kind === 'AzureBlob' ? 'The storage account' : kind === 'BigQuery' ? 'bigquery.googleapis.com' : '–'
}
