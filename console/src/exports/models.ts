/** The models of exports. */
import type { Schemas } from '../api.ts'

export type Model = Schemas['BatchExportModel']

interface ModelText {
  label: string
  description: string
  /** A query to start with. */
  query: string
}

export const MODELS: Record<Model, ModelText> = {
  events: {
    label: 'Events',
    description: 'Every event once.',
    query: 'SELECT uuid, event, distinct_id, timestamp, properties\nFROM events',
  },
  persons: {
    label: 'Persons',
    description:
      'Every distinct id whose person changed, with the current properties. Higher versions replace lower ones.',
    query: 'SELECT distinct_id, person_id, properties, version, is_deleted\nFROM persons',
  },
  sessions: {
    label: 'Sessions',
    description: 'Every session after 30 minutes without events, and again if it goes on.',
    query: 'SELECT session_id, distinct_id, start_timestamp, duration, event_count, version\nFROM sessions',
  },
}
