/** The text of the editor, and the text that was run last. Both are in the URL. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { QuerySearch } from './search.ts'

const ROUTE = '/signed-in/organizations/$organization/projects/$project/query'
const PATH = '/organizations/$organization/projects/$project/query'
const TYPING_MS = 300
/** Proxies reject request lines above 8 kB. */
const MAX_URL_LENGTH = 6_000

const fitsUrl = (text: string): boolean => encodeURIComponent(text).length <= MAX_URL_LENGTH

export interface QueryText {
  search: QuerySearch
  text: string
  /** Undefined if no query was run. */
  ran: string | undefined
  fitsUrl: boolean
  edit: (text: string) => void
  /** Makes this text the one that was run. */
  run: (text: string) => void
  /** Changes the view of the result, in the same entry of the browser's history. */
  show: (change: Omit<QuerySearch, 'q' | 'draft'>) => void
}

export function useQueryText(): QueryText {
  const search = useSearch({ from: ROUTE })
  const navigate = useNavigate({ from: PATH })
  const { q = '', draft = false } = search
  const [text, setText] = useState(q)
  const [ran, setRan] = useState(draft ? undefined : q || undefined)
  const [seen, setSeen] = useState(q)
  /** What this page wrote into the URL, to tell it from the buttons Back and Forward. */
  const written = useRef(q)
  const latest = useRef(search)
  latest.current = search
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  if (seen !== q) {
    setSeen(q)
    if (written.current !== q) {
      written.current = q
      clearTimeout(timer.current)
      setText(q)
      if (!draft) setRan(q || undefined)
    }
  }

  /** A text that was run keeps its entry of the browser's history. Drafts replace each other, and a run replaces its draft. */
  const write = useCallback(
    (text: string, draft: boolean) => {
      clearTimeout(timer.current)
      written.current = fitsUrl(text) ? text : ''
      const change = { q: written.current || undefined, draft: draft || undefined }
      void navigate({
        search: (previous: QuerySearch) => ({ ...previous, ...change, ...(!draft && NEW_RESULT) }),
        replace: latest.current.draft === true || latest.current.q === undefined,
        resetScroll: false,
      })
    },
    [navigate],
  )
  const edit = (text: string): void => {
    setText(text)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => write(text, text !== ran), TYPING_MS)
  }
  const run = (text: string): void => {
    setText(text)
    setRan(text)
    write(text, false)
  }
  const show: QueryText['show'] = useCallback(
    (change) =>
      void navigate({
        search: (previous: QuerySearch) => ({ ...previous, ...change }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  )
  return { search, text, ran, fitsUrl: fitsUrl(text), edit, run, show }
}

/** Other columns need another order and another chart. */
const NEW_RESULT = { sort: undefined, x: undefined, y: undefined }
