import { Anchor, Container, Stack, Text, Title } from '@mantine/core'
import { type ErrorComponentProps, Link, Navigate, useLocation, useRouter } from '@tanstack/react-router'
import { isSignedOut, WorkspaceError } from '../api.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'

/** Shown instead of a page that failed. A session that ended leads to the sign-in page. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const { href } = useLocation()
  if (isSignedOut(error)) return <Navigate to="/login" search={{ next: href }} />
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
