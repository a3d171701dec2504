/** The view of the events page and ways to change it. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { EventsSearch } from './search.ts'

const ROUTE = '/signed-in/organizations/$organization/projects/$project/events'

export interface View {
  search: EventsSearch
  /** A new entry of the history. Closes the unfolded event. */
  filter: (change: EventsSearch) => void
  /** A new entry of the history at the same scroll position. */
  show: (change: EventsSearch) => void
  /** The same entry of the history, for text that is being typed and for parts that unfold. */
  adjust: (change: EventsSearch) => void
}

export function useView(): View {
  const search = useSearch({ from: ROUTE })
  const navigate = useNavigate({ from: '/organizations/$organization/projects/$project/events' })
  const filter = useCallback(
    (change: EventsSearch) =>
      void navigate({
        search: (previous: EventsSearch) => ({
          ...previous,
          open: undefined,
          tab: undefined,
          find: undefined,
          ...change,
        }),
      }),
    [navigate],
  )
  const show = useCallback(
    (change: EventsSearch) =>
      void navigate({ search: (previous: EventsSearch) => ({ ...previous, ...change }), resetScroll: false }),
    [navigate],
  )
  const adjust = useCallback(
    (change: EventsSearch) =>
      void navigate({
        search: (previous: EventsSearch) => ({ ...previous, ...change }),
        resetScroll: false,
        replace: true,
      }),
    [navigate],
  )
  return { search, filter, show, adjust }
}
