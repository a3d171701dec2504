/** The last queries of a user in a project, kept in this browser. */
import { useCallback, useState } from 'react'

export interface PastQuery {
  text: string
  /** ISO 8601. */
  at: string
}

const MAX_QUERIES = 50
/** The longest query that the server accepts. */
const MAX_LENGTH = 10_000
/** Browsers store about five million characters for all projects together. */
const MAX_TOTAL_LENGTH = 100_000

const keyOf = (user: string, project_id: string): string => `queries/${user}/${project_id}`

/** Newest first. Anyone can edit the storage of a browser, so invalid entries are ignored. */
function read(key: string): PastQuery[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(stored) ? bounded(stored.flatMap(pastQuery)) : []
  } catch {
    return []
  }
}

function pastQuery(item: unknown): PastQuery[] {
  if (typeof item !== 'object' || item === null) return []
  const { text, at } = item as Partial<Record<keyof PastQuery, unknown>>
  const isValid = typeof text === 'string' && text.trim() !== '' && text.length <= MAX_LENGTH
  return isValid && typeof at === 'string' && !Number.isNaN(Date.parse(at)) ? [{ text, at }] : []
}

function bounded(queries: PastQuery[]): PastQuery[] {
  let total = 0
  return queries.slice(0, MAX_QUERIES).filter(({ text }) => {
    total += text.length
    return total <= MAX_TOTAL_LENGTH
  })
}

function write(key: string, queries: PastQuery[]): void {
  try {
    if (queries.length) localStorage.setItem(key, JSON.stringify(queries))
    else localStorage.removeItem(key)
  } catch {
    // The storage is full or forbidden. The list then lasts until the page is closed.
  }
}

export interface History {
  queries: PastQuery[]
  remember: (text: string) => void
  /** Reads what other tabs have added. */
  refresh: () => void
  clear: () => void
}

export function useHistory(user: string, project_id: string): History {
  const key = keyOf(user, project_id)
  const [queries, setQueries] = useState(() => read(key))
  const remember = useCallback(
    (text: string) => {
      if (text.length > MAX_LENGTH) return
      const others = read(key).filter((past) => past.text !== text)
      const next = bounded([{ text, at: new Date().toISOString() }, ...others])
      write(key, next)
      setQueries(next)
    },
    [key],
  )
  const refresh = useCallback(() => setQueries(read(key)), [key])
  const clear = useCallback(() => {
    write(key, [])
    setQueries([])
  }, [key])
  return { queries, remember, refresh, clear }
}
