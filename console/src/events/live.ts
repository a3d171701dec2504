import { useEffect, useState } from 'react'
import { answer, client } from '../api.ts'
import { type EventItem, toEventItem } from './model.ts'
import { filterParameters } from './queries.ts'
import type { EventsSearch } from './search.ts'

const POLL_MS = 2_000
const RETRY_MS = 10_000
/** Older live rows are dropped; a reload lists them. */
const MAX_ROWS = 2_000

export interface Live {
  /** The latest events at the first request. Some may be missing in the list, which is older. */
  latest: EventItem[]
  /** Events that arrived since then. Newest arrival first. */
  arrived: EventItem[]
  error: unknown
}

const NOTHING: Live = { latest: [], arrived: [], error: undefined }

/** Events that arrive while the page is open. Polls only while the tab is visible. */
export function useLive(project_id: string, search: EventsSearch): Live {
  const [live, setLive] = useState(NOTHING)
  const parameters = JSON.stringify(filterParameters(search))
  const isOn = search.live === true
  useEffect(() => {
    setLive(NOTHING)
    if (!isOn) return
    const controller = new AbortController()
    const { signal } = controller
    void follow(project_id, JSON.parse(parameters), signal, {
      start: (events) => setLive({ ...NOTHING, latest: events.reverse() }),
      add: (events) =>
        setLive((live) =>
          events.length === 0 && live.error === undefined
            ? live
            : { ...live, arrived: [...events.reverse(), ...live.arrived].slice(0, MAX_ROWS), error: undefined },
        ),
      fail: (error) => setLive((live) => ({ ...live, error })),
    })
    return () => controller.abort()
  }, [project_id, parameters, isOn])
  return live
}

interface Listener {
  start: (events: EventItem[]) => void
  add: (events: EventItem[]) => void
  fail: (error: unknown) => void
}

async function follow(
  project_id: string,
  filters: ReturnType<typeof filterParameters>,
  signal: AbortSignal,
  { start, add, fail }: Listener,
): Promise<void> {
  let cursor: string | undefined
  while (!signal.aborted) {
    await visible(signal)
    let pause = POLL_MS
    try {
      const query = { ...filters, ...(cursor !== undefined && { cursor }) }
      const page = await answer(
        client.GET('/api/projects/{project_id}/events/tail/', { params: { path: { project_id }, query }, signal }),
      )
      const events = page.results.map(toEventItem)
      if (cursor === undefined) start(events)
      else add(events)
      cursor = page.cursor
      if (page.more) pause = 0
    } catch (error) {
      if (signal.aborted) return
      fail(error)
      pause = RETRY_MS
    }
    await wait(pause, signal)
  }
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, milliseconds)
    signal.addEventListener('abort', finish)
  })
}

function visible(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return Promise.resolve()
  return new Promise((resolve) => {
    const stop = new AbortController()
    const check = (): void => {
      if (document.hidden && !signal.aborted) return
      stop.abort()
      resolve()
    }
    document.addEventListener('visibilitychange', check, { signal: stop.signal })
    signal.addEventListener('abort', check, { signal: stop.signal })
  })
}
