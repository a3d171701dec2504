/**
 * The access that keys and sessions had at their last request. On PostgreSQL, a request looks up its organization or
 * project and its subject for that access while it authenticates: one round trip instead of three. The results are used only
 * if the caller and the place are still the same.
 */
import { isDeepStrictEqual } from 'node:util'
import type { ResolvedAccess } from '../api/handler-context.ts'
import type { Caller } from '../auth/caller.ts'

type Place = Pick<ResolvedAccess, 'organization' | 'project'>

/** Finds the place and the subject of a request. */
export interface AccessLookups {
  place(caller: Caller): Promise<Place>
  subject(caller: Caller, place: Place): Promise<unknown>
}

export interface KnownAccess {
  /** Starts the lookups for the last caller with this credential, if there is one. Call `place` before `subject`. */
  begin(credential: string, place_id: string, lookups: AccessLookups): AccessLookups
}

/** All are forgotten when there are more. Each takes about 2 kB. */
const MAX_CREDENTIALS = 5_000
const MAX_PLACES = 20

interface LastAccess {
  caller: Caller
  places: Map<string, Place>
}

export function createKnownAccess(): KnownAccess {
  const known = new Map<string, LastAccess>()

  function remember(credential: string, caller: Caller, place_id: string, place: Place): void {
    const last = known.get(credential)
    if (!last && known.size >= MAX_CREDENTIALS) known.clear()
    const places = last?.places ?? new Map<string, Place>()
    if (places.size >= MAX_PLACES) places.clear()
    places.set(place_id, place)
    known.set(credential, { caller, places })
  }

  return {
    begin: (credential, place_id, lookups) => {
      const last = known.get(credential)
      if (!last) return { ...lookups, place: (caller) => findAndRemember(caller) }
      const lastPlace = last.places.get(place_id)
      const place = started(lookups.place(last.caller))
      const subject = lastPlace && started(lookups.subject(last.caller, lastPlace))
      let isSame = false
      return {
        place: async (caller) => {
          if (!isDeepStrictEqual(caller, last.caller)) return findAndRemember(caller)
          const found = await place
          isSame = isDeepStrictEqual(found, lastPlace)
          if (!isSame) remember(credential, caller, place_id, found)
          return found
        },
        subject: (caller, found) => (isSame && subject ? subject : lookups.subject(caller, found)),
      }

      async function findAndRemember(caller: Caller): Promise<Place> {
        const found = await lookups.place(caller)
        remember(credential, caller, place_id, found)
        return found
      }
    },
  }
}

/** A rejection is handled when the result is used, which may be never. */
function started<Result>(lookup: Promise<Result>): Promise<Result> {
  lookup.catch(() => undefined)
  return lookup
}
