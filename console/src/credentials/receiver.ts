import type { Integration } from './queries.ts'

/** The most telling key of each kind first. */
const KEYS = ['host', 'url', 'endpoint_url', 'account', 'region']

/** Who receives the secrets, short enough for a list. */
export function receiverOf({ kind, config }: Integration): string {
  const value = KEYS.map((key) => config[key]).find(Boolean)
  if (value !== undefined) return String(value).replace(/^https?:\/\//, '')
  return kind === 'AzureBlob' ? 'The storage account' : kind === 'BigQuery' ? 'bigquery.googleapis.com' : '–'
}
