import { useRouter, useSearch } from '@tanstack/react-router'
import { meQuery, queryClient } from '../api.ts'
import { SignIn } from './SignIn.tsx'
import { safePath } from './sso.tsx'

export function LoginPage() {
  const { next, error_code, email } = useSearch({ from: '/login' })
  const router = useRouter()
  return (
    <SignIn
      {...{ next, error_code, email }}
      done={(me) => {
        queryClient.clear()
        queryClient.setQueryData(meQuery.queryKey, me)
        router.history.replace(safePath(next))
      }}
    />
  )
}
