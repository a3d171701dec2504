import { queryOptions } from '@tanstack/react-query'
import { answer, client } from '../api.ts'

const REFRESH_MS = 10_000

export const instanceQuery = queryOptions({
  queryKey: ['instance'],
  queryFn: () => answer(client.GET('/api/instance_status/')),
  refetchInterval: (query) => (query.state.error ? false : REFRESH_MS),
})
