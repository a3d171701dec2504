/** Content negotiation by the `Accept` header (RFC 9110, section 12.5.1). */

interface MediaRange {
  type: string
  subtype: string
  q: number
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
const QVALUE = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/**
 * The offered type with the highest weight. With equal weights the more specific range wins, then the order of the offer.
 * Undefined if the header excludes all types. A missing or malformed header accepts all types.
 */
export function negotiate<Type extends string>(accept: string | undefined, offered: readonly Type[]): Type | undefined {
  const ranges = accept === undefined || accept === '*/*' ? undefined : parseAccept(accept)
  if (!ranges) return offered[0]
  let best: { type: Type; q: number; specificity: number } | undefined
  for (const type of offered) {
    const match = matchOf(type, ranges)
    if (!match || match.q === 0) continue
    if (!best || match.q > best.q || (match.q === best.q && match.specificity > best.specificity))
      best = { type, ...match }
  }
  return best?.type
}

/** The weight of a media type, taken from the most specific range that matches it. */
function matchOf(mediaType: string, ranges: readonly MediaRange[]): { q: number; specificity: number } | undefined {
  const [type, subtype] = mediaType.split('/')
  let found: { q: number; specificity: number } | undefined
  for (const range of ranges) {
    if (range.type !== '*' && range.type !== type) continue
    if (range.subtype !== '*' && range.subtype !== subtype) continue
    const specificity = Number(range.type !== '*') + Number(range.subtype !== '*')
    if (!found || specificity > found.specificity || (specificity === found.specificity && range.q > found.q))
      found = { q: range.q, specificity }
  }
  return found
}

/** Undefined for an empty or malformed header. Takes linear time, and the HTTP parser limits the length. */
function parseAccept(accept: string): MediaRange[] | undefined {
  const ranges: MediaRange[] = []
  for (const element of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = element.split(';').map((part) => part.trim())
    if (!name && parameters.length === 0) continue
    const [type, subtype, ...rest] = name.split('/')
    if (!type || !subtype || rest.length || !TOKEN.test(type) || !TOKEN.test(subtype)) return undefined
    if (type === '*' && subtype !== '*') return undefined
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    if (weight !== undefined && !QVALUE.test(weight)) return undefined
    ranges.push({ type, subtype, q: weight === undefined ? 1 : Number(weight) })
  }
  return ranges.length ? ranges : undefined
}

/** The first offered encoding that `Accept-Encoding` names with a weight other than zero. */
export function acceptedEncoding<Encoding extends string>(
  accept: string | undefined,
  offered: readonly Encoding[],
): Encoding | undefined {
  const accepted = (accept ?? '').toLowerCase().replaceAll(' ', '').split(',')
  return offered.find((encoding) =>
    accepted.some((one) => {
      const [name, weight = ''] = one.split(';')
      return name === encoding && !/^q=0(\.0*)?$/.test(weight)
    }),
  )
}
