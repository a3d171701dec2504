/** The results of the requests that each generated client sends. */
export interface RoundTrip {
  created: string
  listed: string[]
  changed: string
  teams: number
  /** The prefix of a batch export to files, from its typed config. */
  prefix: string | undefined
  rejected: { status: number; type: string; code: string; attr: string | null }
  deleted: number
}

export function present<Value>(value: Value | undefined | null): Value {
  if (value === undefined || value === null) throw new Error('the client returned no value')
  return value
}
