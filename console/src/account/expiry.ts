import type { Schemas } from '../api.ts'

/** The lifetimes of a new key. With `date`, the user chooses a day. */
export const LIFETIMES = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In one year' },
  { value: 'date', label: 'On a date' },
  { value: 'never', label: 'Never' },
]

const DAY_MS = 86_400_000

/** A day in the viewer's zone, as date inputs write it. */
export function localDay(time: number): string {
  const date = new Date(time)
  return new Date(time - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
}

/** The expiry time of a choice. A key with a date works until the end of that day. Null for never. */
export function expiryOf(lifetime: string, day: string, now: number): string | null {
  if (lifetime === 'never') return null
  if (lifetime !== 'date') return new Date(now + Number(lifetime) * DAY_MS).toISOString()
  const end = new Date(`${day}T23:59:59`)
  return Number.isNaN(end.getTime()) ? null : end.toISOString()
}

export const isExpired = ({ expires_at }: Schemas['ApiKey']): boolean =>
  expires_at !== null && Date.parse(expires_at) <= Date.now()
