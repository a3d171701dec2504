/** What each generated client is asked to do, and tells of it. */
export interface RoundTrip {
  made: string
  listed: string[]
  changed: string
  teams: number
  /** The prefix of a batch export to files, from its typed config. */
  prefix: string | undefined
  refused: { status: number; type: string; code: string; attr: string | null }
  deleted: number
}

export function there<Value>(value: Value | undefined | null): Value {
  if (value === undefined || value === null) throw new Error('the client answered nothing')
  return value
}
