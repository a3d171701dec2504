/** The sample events of a test, as the user writes them. */
import { type Schemas, WorkspaceError } from '../api.ts'
import type { SourceError } from './SourceEditor.tsx'

type Events = NonNullable<Schemas['PluginTest']['events']>

export const SAMPLE = `${JSON.stringify(
  {
    event: '$pageview',
    distinct_id: 'sample',
    properties: { $current_url: 'https://example.com/pricing', $browser: 'Firefox' },
  },
  null,
  2,
)}\n`

const errorAt = (text: string, index: number, reason: string): SourceError => {
  const lines = text.slice(0, index).split('\n')
  const column = (lines.at(-1)?.length ?? 0) + 1
  return { detail: `Line ${lines.length}, column ${column}: ${reason}`, line: lines.length }
}

/** One event, or a list of events. The server validates their fields. */
export function parseEvents(text: string): { events: Events } | { error: SourceError } {
  try {
    const value = JSON.parse(text)
    return { events: Array.isArray(value) ? value : [value] }
  } catch (error) {
    const [, position] = /position (\d+)/.exec(String(error)) ?? []
    const index = position === undefined ? text.trimEnd().length : Number(position)
    return { error: errorAt(text, index, 'This is not valid JSON. Check its quotes, commas and brackets.') }
  }
}

/** An error about the events, at the field that it names; undefined for other errors. */
export function eventsError(text: string, error: unknown): SourceError | undefined {
  if (!(error instanceof WorkspaceError) || !error.attr?.startsWith('events')) return undefined
  const key = error.attr.split('__').at(-1)
  return errorAt(text, Math.max(0, text.indexOf(`"${key}"`)), error.detail)
}

export interface DiffLine {
  text: string
  isChanged: boolean
}

const withoutComma = (line: string): string => line.replace(/,$/, '')

/** The lines of a value as JSON. Those that the other value does not have are marked. */
export function linesOf(value: unknown, other: unknown): DiffLine[] {
  const others = new Set(JSON.stringify(other, null, 2).split('\n').map(withoutComma))
  return JSON.stringify(value, null, 2)
    .split('\n')
    .map((text) => ({ text, isChanged: !others.has(withoutComma(text)) }))
}
