import { Button, CopyButton, Modal, SimpleGrid, Stack, Text, VisuallyHidden } from '@mantine/core'
import { CheckIcon, CopyIcon, DownloadIcon } from '../parts/icons.tsx'

/** Shows new backup codes once. Only the button closes it, so a stray click does not lose them. */
export function BackupCodes({ codes, close }: { codes: string[]; close: () => void }) {
  const text = `${codes.join('\n')}\n`
  return (
    <Modal
      opened
      onClose={close}
      title="Your backup codes"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Text size="sm">
          Store these codes in a safe place. Each replaces your authenticator app once. They are not shown again.
        </Text>
        <SimpleGrid
          cols={{ base: 1, xs: 2 }}
          spacing="xs"
          component="ul"
          m={0}
          p="sm"
          bd="1px solid var(--mantine-color-default-border)"
        >
          {codes.map((code) => (
            <Text key={code} component="li" className="mono" ta="center" style={{ listStyle: 'none' }}>
              {code}
            </Text>
          ))}
        </SimpleGrid>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
          <CopyButton value={text} timeout={2_000}>
            {({ copied, copy }) => (
              <>
                <Button
                  variant="default"
                  onClick={copy}
                  leftSection={copied ? <CheckIcon size={16} /> : <CopyIcon size={16} />}
                >
                  {copied ? 'Copied' : 'Copy codes'}
                </Button>
                <VisuallyHidden role="status">{copied ? 'Copied the backup codes' : ''}</VisuallyHidden>
              </>
            )}
          </CopyButton>
          <Button
            component="a"
            variant="default"
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
            download="backup-codes.txt"
            leftSection={<DownloadIcon size={16} />}
          >
            Download codes
          </Button>
        </SimpleGrid>
        <Button onClick={close} data-autofocus>
          I have stored the codes
        </Button>
      </Stack>
    </Modal>
  )
}
