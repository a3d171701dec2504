/** Locations of IP addresses, from a database file in the MaxMind format. */
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import type { Reader } from 'mmdb-lib'
import type { Logger } from 'pino'

/** The record of an address; null if there is none, and without a database. */
export type Locate = (address: string) => Promise<unknown>

/** Reads the file with the first address. */
export function createLocate(path: string | undefined, log: Pick<Logger, 'error'>): Locate {
  let opened: Promise<Reader<never> | undefined> | undefined
  const open = async (file: string): Promise<Reader<never> | undefined> => {
    try {
      const [{ Reader }, bytes] = await Promise.all([import('mmdb-lib'), readFile(file)])
      return new Reader<never>(bytes)
    } catch (error) {
      log.error({ err: error }, 'GEOIP_DATABASE cannot be read; geoip.locate of plugins returns null until a restart')
      return undefined
    }
  }
  return async (address) => {
    if (path === undefined || isIP(address) === 0) return null
    opened ??= open(path)
    const reader = await opened
    // A database of IPv4 addresses has no others.
    if (!reader || (reader.metadata.ipVersion === 4 && isIP(address) === 6)) return null
    return reader.get(address)
  }
}
