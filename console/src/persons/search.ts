/** The views of the pages of this area as stored in their URLs. */

export interface PersonsSearch {
  /** The start of a distinct id or an email, or the id of a person. */
  search?: string
  /** A HogQL condition on the table `persons`. */
  where?: string
  /** The page without a condition, from `next` or `previous` of the API. */
  cursor?: string
  /** The page with a condition, from 2. */
  page?: number
}

export const parsePersonsSearch = ({ search, where, cursor, page }: Record<string, unknown>): PersonsSearch => ({
  search: text(search)?.slice(0, MAX_SEARCH),
  where: text(where),
  cursor: text(cursor),
  page: Number.isSafeInteger(page) && Number(page) > 1 ? Number(page) : undefined,
})

/** As in the contract. */
export const MAX_SEARCH = 400

export const TABS = ['events', 'sessions'] as const
export type Tab = (typeof TABS)[number]

export interface PersonSearch {
  tab?: Tab
  /** Part of the name or the value of a property. */
  find?: string
}

export const parsePersonSearch = ({ tab, find }: Record<string, unknown>): PersonSearch => ({
  tab: TABS.find((one) => one === tab),
  find: text(find),
})

/** The router parses digits and `true` as numbers and booleans. */
export const text = (value: unknown): string | undefined =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined
