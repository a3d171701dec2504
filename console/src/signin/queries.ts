import { queryOptions } from '@tanstack/react-query'
import { answer, client, meQuery, queryClient } from '../api.ts'

/** Whether the domain of an address uses single sign-on. The answer does not reveal accounts. */
export const precheckQuery = (email: string) =>
  queryOptions({
    queryKey: ['precheck', email],
    queryFn: () => answer(client.POST('/api/login/precheck/', { body: { email } })),
    enabled: email.includes('@'),
    staleTime: 60_000,
  })

/** An invite. Its answer differs for the user who is signed in. */
export const signupQuery = (invite_id: string, token: string, user: string | undefined) =>
  queryOptions({
    queryKey: ['signup', invite_id, user],
    queryFn: () =>
      answer(client.GET('/api/signup/{invite_id}/', { params: { path: { invite_id }, query: { token } } })),
    retry: false,
  })

/** Confirms an address. A query, because it runs once even if the page renders twice. */
export const verificationQuery = (uuid: string, token: string) =>
  queryOptions({
    queryKey: ['verification', uuid, token],
    queryFn: async () => {
      await answer(client.POST('/api/users/verify_email/', { body: { uuid, token } }))
      await queryClient.invalidateQueries({ queryKey: meQuery.queryKey })
      return true
    },
    enabled: token !== '',
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
