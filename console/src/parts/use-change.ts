import { type QueryKey, useMutation } from '@tanstack/react-query'
import { queryClient } from '../api.ts'
import { notifyDone, notifyError } from './ErrorAlert.tsx'

export interface Change<Sent, Answer> {
  send: (sent: Sent) => Promise<Answer>
  /** The message after a success. */
  done?: string | undefined | ((answer: Answer, sent: Sent) => string | undefined)
  /** The title of the message after an error. Without it, the page shows the error. */
  failed?: string | ((sent: Sent) => string)
  /** The keys of the queries to load again. A key includes all keys that begin with it. */
  refreshes?: readonly QueryKey[] | undefined
  /** Runs after a success, when the queries are loaded again. */
  after?: (answer: Answer, sent: Sent) => unknown
  /** Shows the change at once: `apply` writes it to the cache. An error restores the data of `queryKey`. */
  optimistic?: { queryKey: QueryKey; apply: (sent: Sent) => void }
  /** Changes of one scope are sent one after the other, so the last one wins. */
  scope?: string
}

/** Sends a change to the server, reports its outcome and refreshes the pages that show the data. */
export function useChange<Sent = void, Answer = unknown>(change: Change<Sent, Answer>) {
  const { send, done, failed, refreshes = [], after, optimistic, scope } = change
  const refresh = () => Promise.all(refreshes.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
  return useMutation({
    mutationFn: (sent: Sent) => send(sent),
    ...(scope !== undefined && { scope: { id: scope } }),
    onMutate: async (sent) => {
      if (!optimistic) return undefined
      await queryClient.cancelQueries({ queryKey: optimistic.queryKey })
      const before = queryClient.getQueryData(optimistic.queryKey)
      optimistic.apply(sent)
      return before
    },
    onSuccess: async (answer, sent) => {
      await refresh()
      const message = typeof done === 'function' ? done(answer, sent) : done
      if (message !== undefined) notifyDone(message)
      await after?.(answer, sent)
    },
    onError: (error, sent, before) => {
      if (optimistic && before !== undefined) queryClient.setQueryData(optimistic.queryKey, before)
      if (failed !== undefined) notifyError(error, typeof failed === 'function' ? failed(sent) : failed)
      // The server may have made a part of the change.
      void refresh()
    },
  })
}
