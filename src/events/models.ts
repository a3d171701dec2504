/** What a batch export delivers, and the table that it follows in the order of ingestion. */
import { type Sql, sql } from '../sql/template.ts'

export const MODELS = ['events', 'persons'] as const
export type Model = (typeof MODELS)[number]

export interface Feed {
  table: 'events' | 'person_changes' | 'session_changes'
  /** The time of arrival of a row `e`, in microseconds. */
  ingested_at: Sql
}

export const FEEDS: Record<Model, Feed> = {
  events: { table: 'events', ingested_at: sql`e.created_at` },
  persons: { table: 'person_changes', ingested_at: sql`e.changed_at` },
}
