/** The account of the signed-in user. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { answer, client, meQuery } from '../api.ts'

export const PAGE_SIZE = 50

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: () => answer(client.GET('/api/personal_api_keys/')),
})

export const twoFactorQuery = queryOptions({
  queryKey: ['two-factor'],
  queryFn: () => answer(client.GET('/api/users/@me/two_factor_status/')),
})

/** Of all pages. */
export const sessionsKey = ['sessions']

export const sessionsQuery = (page: number) =>
  queryOptions({
    queryKey: [...sessionsKey, page],
    queryFn: () =>
      answer(
        client.GET('/api/users/@me/login_sessions/', {
          params: { query: { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE } },
        }),
      ),
    placeholderData: keepPreviousData,
  })

/** Changed with the second factor. */
export const TWO_FACTOR_KEYS = [twoFactorQuery.queryKey, meQuery.queryKey, sessionsKey]
