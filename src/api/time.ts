import { invalid } from '../errors.ts'

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

/** Any ISO 8601 moment, without a zone in UTC, as the one form that is stored; 400 naming `attr` for anything else. */
export function parseTime(text: string, attr: string): string {
  const match = ISO.exec(text.trim())
  if (match) {
    const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match
    const offset = /^[+-]\d{2}$/.test(zone) ? `${zone}:00` : zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2').toUpperCase()
    const moment = new Date(
      `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}${offset}`,
    )
    // JavaScript rolls the 31st of a short month over into the next one.
    const real =
      !Number.isNaN(moment.getTime()) && new Date(Date.UTC(+year!, +month! - 1, +day!)).getUTCDate() === +day!
    if (real && /^\d{4}-/.test(moment.toISOString())) return moment.toISOString()
  }
  throw invalid(attr, `Send "${attr}" as an ISO 8601 time, such as 2026-11-02T09:15:00Z.`)
}
