import { Alert, Button, Group, Modal, Paper, Stack, Text } from '@mantine/core'
import type { Schemas } from '../api.ts'
import { Copy } from '../parts/Copy.tsx'

/** Shows the secret of a webhook once. Only the button closes it, so a stray click does not lose it. */
export function WebhookSecret({ shown: { name, secret }, close }: { shown: Schemas['Alert']; close: () => void }) {
  return (
    <Modal
      opened
      onClose={close}
      title={`Secret of "${name}"`}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Alert color="yellow">Copy the secret now. It is not shown again.</Alert>
        <Paper withBorder p="sm">
          <Copy value={secret ?? ''} label="the secret" />
        </Paper>
        <Text size="sm">
          Use it to verify the <span className="mono">webhook-signature</span> header of each request: base64 of
          HMAC-SHA256 over the id, the timestamp and the body, joined by dots. Libraries for Standard Webhooks do it for
          you.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            I have stored the secret
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
