import { Alert, Button, CopyButton, Group, Modal, Paper, Stack, Text, VisuallyHidden } from '@mantine/core'
import type { Schemas } from '../api.ts'
import { Copy } from '../parts/Copy.tsx'
import { CheckIcon, CopyIcon } from '../parts/icons.tsx'

/** Shows the value of a new or rolled key once. Only the button closes it, so a stray click does not lose it. */
export function KeyValue({ shown: { label, value }, close }: { shown: Schemas['ApiKey']; close: () => void }) {
  const key = value ?? ''
  return (
    <Modal
      opened
      onClose={close}
      title={`Value of "${label}"`}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Alert color="yellow">Copy the value now. It is not shown again.</Alert>
        <Paper withBorder p="sm">
          <Group justify="space-between" gap="xs">
            <Text className="mono wrap" flex="1 1 12rem">
              {key}
            </Text>
            <CopyButton value={key} timeout={2_000}>
              {({ copied, copy }) => (
                <>
                  <Button
                    size="xs"
                    onClick={copy}
                    data-autofocus
                    leftSection={copied ? <CheckIcon size={14} /> : <CopyIcon size={14} />}
                  >
                    {copied ? 'Copied' : 'Copy value'}
                  </Button>
                  <VisuallyHidden role="status">{copied ? 'Copied the value' : ''}</VisuallyHidden>
                </>
              )}
            </CopyButton>
          </Group>
        </Paper>
        <Text size="sm">Send it in the header of each request. To try it:</Text>
        <Copy
          value={`curl -H 'Authorization: Bearer ${key}' ${location.origin}/api/personal_api_keys/@current/`}
          label="the command"
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            I have stored the value
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
