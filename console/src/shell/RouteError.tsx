import { Anchor, Container, Stack, Text, Title } from '@mantine/core'
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isSignedOut, WorkspaceError } from '../api.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'

/** Shown instead of a page that failed. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const signedOut = isSignedOut(error)
  // The session ended before the frame of the page existed, which would ask for the sign-in. There is no form to keep.
  useEffect(() => {
    if (!signedOut) return
    const next = router.latestLocation.href
    location.replace(router.buildLocation({ to: '/login', search: { next } }).href)
  }, [signedOut, router])
  if (signedOut) return null
  if (error instanceof WorkspaceError && error.status === 404) return <NotFound />
  return (
    <Container size="sm" py="xl">
      <ErrorAlert
        error={error}
        title="This page could not be loaded"
        retry={() => {
          reset()
          void router.invalidate()
        }}
      />
    </Container>
  )
}

export function NotFound() {
  return (
    <Container size="sm" py="xl" component="main">
      <Stack gap="xs">
        <Title order={1} size="h2">
          Not found
        </Title>
        <Text>This page does not exist, or you have no access to it. Check the address, or ask for an invite.</Text>
        <Anchor component={Link} to="/">
          Go to your project
        </Anchor>
      </Stack>
    </Container>
  )
}
