/** What each generated client is asked to do, and tells of it. */
export interface RoundTrip {
  made: string
  listed: string[]
  changed: string
  teams: number
  refused: { status: number; type: string; code: string; attr: string | null }
  deleted: number
}

export function there<Value>(value: Value | undefined | null): Value {
  if (value === undefined || value === null) throw new Error('the client answered nothing')
  return value
}
