import { ActionIcon, CopyButton, Group, Text, Tooltip, VisuallyHidden } from '@mantine/core'
import { CheckIcon, CopyIcon } from './icons.tsx'

/** A value with a button that copies it. `label` names the value for screen readers. */
export function Copy({ value, label, shown = value }: { value: string; label: string; shown?: string }) {
  return (
    <Group gap="xs" wrap="nowrap" align="center">
      <Text span className="mono wrap">
        {shown}
      </Text>
      <CopyIconButton value={value} label={label} />
    </Group>
  )
}

export function CopyIconButton({ value, label }: { value: string; label: string }) {
  return (
    <CopyButton value={value} timeout={2_000}>
      {({ copied, copy }) => (
        <>
          <Tooltip label={copied ? 'Copied' : `Copy ${label}`}>
            <ActionIcon variant="subtle" size="sm" onClick={copy} aria-label={`Copy ${label}`}>
              {copied ? <CheckIcon /> : <CopyIcon />}
            </ActionIcon>
          </Tooltip>
          <VisuallyHidden role="status">{copied ? `Copied ${label}` : ''}</VisuallyHidden>
        </>
      )}
    </CopyButton>
  )
}
