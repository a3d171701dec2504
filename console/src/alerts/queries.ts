import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answer, client, type Schemas } from '../api.ts'
import { PAGE_SIZE } from '../organization/queries.ts'

const SUGGESTIONS = 20

/** Of all pages. */
export const alertsKey = ['alerts']

export const alertsQuery = (organization_id: string, page: number) =>
  queryOptions({
    queryKey: [...alertsKey, organization_id, page],
    queryFn: () =>
      answer(
        client.GET('/api/organizations/{organization_id}/alerts/', {
          params: { path: { organization_id }, query: { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE } },
        }),
      ),
    placeholderData: keepPreviousData,
  })

/** Exports of all projects whose name contains the text. */
export const suggestedExportsQuery = (organization_id: string, search: string) =>
  queryOptions({
    queryKey: ['exports', organization_id, 'suggested', search],
    queryFn: () =>
      answer(
        client.GET('/api/organizations/{organization_id}/batch_exports/', {
          params: { path: { organization_id }, query: { limit: SUGGESTIONS, ...(search && { search }) } },
        }),
      ),
    placeholderData: keepPreviousData,
  })

/** The export that an alert is restricted to. */
export const exportOfAlertQuery = (organization_id: string, id: string) =>
  queryOptions({
    queryKey: ['exports', organization_id, 'one', id],
    queryFn: () =>
      answer(
        client.GET('/api/organizations/{organization_id}/batch_exports/{id}/', {
          params: { path: { organization_id, id } },
        }),
      ),
  })

export type Trigger = Schemas['AlertTrigger']

export const TRIGGERS: { value: Trigger; label: string; description: string }[] = [
  {
    value: 'failure',
    label: 'Failure',
    description: 'A run failed after its retries. One message until a run completes.',
  },
  { value: 'recovery', label: 'Recovery', description: 'The export works again after a failure or a lag.' },
  {
    value: 'pause',
    label: 'Automatic pause',
    description: 'The export was paused because too many of its runs failed.',
  },
  { value: 'lag', label: 'Lag', description: 'A window ended some time ago and is not delivered yet.' },
]
