import { Alert, Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { WorkspaceError } from 'workspace-admin-client'
import { WarningIcon } from './icons.tsx'

/** The message of an error for people. Errors of the API say what to do. */
export const messageOf = (error: unknown): string =>
  error instanceof WorkspaceError
    ? error.detail
    : error instanceof TypeError
      ? 'The server did not respond. Check your connection and retry.'
      : String(error instanceof Error ? error.message : error)

/** An error in the page, with an optional way to retry. */
export function ErrorAlert({ error, retry, title }: { error: unknown; retry?: () => void; title?: string }) {
  const request_id = error instanceof WorkspaceError && error.status >= 500 ? error.request_id : null
  return (
    <Alert color="red" icon={<WarningIcon />} title={title ?? 'This did not work'} role="alert">
      <Text size="sm" className="wrap">
        {messageOf(error)}
      </Text>
      {request_id && (
        <Text size="xs" mt={4} className="mono">
          Request id: {request_id}
        </Text>
      )}
      {retry && (
        <Group mt="sm">
          <Button size="xs" variant="default" onClick={retry}>
            Retry
          </Button>
        </Group>
      )}
    </Alert>
  )
}

/** Shows an error that no field or part of the page can show. */
export const notifyError = (error: unknown, title = 'This did not work'): void => {
  notifications.show({ color: 'red', title, message: messageOf(error), autoClose: 10_000 })
}

export const notifyDone = (message: string): void => {
  notifications.show({ color: 'green', message })
}
