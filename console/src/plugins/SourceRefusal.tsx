import { Alert, Button, Stack, Text } from '@mantine/core'
import { ErrorAlert, messageOf } from '../parts/ErrorAlert.tsx'

/** Why the source was not saved. */
export function SourceRefusal({
  error,
  saveAnyway,
  isPending,
}: {
  error: Error
  saveAnyway: (() => void) | undefined
  isPending: boolean
}) {
  const title = 'The source was not saved'
  if (!saveAnyway) return <ErrorAlert error={error} title={title} />
  return (
    <Alert color="red" title={title} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm" className="wrap">
          {messageOf(error)}
        </Text>
        <Text size="sm">Correct the code, or save it anyway: then the plugin is switched off in all projects.</Text>
        <Button size="xs" variant="default" loading={isPending} onClick={saveAnyway}>
          Save anyway
        </Button>
      </Stack>
    </Alert>
  )
}
