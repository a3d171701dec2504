import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

/** A bordered part of a page with a heading. */
export function Section({
  title,
  description,
  state,
  actions,
  compact = false,
  children,
}: {
  title: string
  description?: ReactNode
  /** For example a badge beside the heading. */
  state?: ReactNode
  actions?: ReactNode
  /** Smaller, with the actions always beside the heading. */
  compact?: boolean
  children?: ReactNode
}) {
  const id = useId()
  return (
    <Paper withBorder p={compact ? 'md' : 'lg'} component="section" aria-labelledby={id}>
      <Stack gap={compact ? 'sm' : 'md'}>
        <Group justify="space-between" align="flex-start" gap="sm" wrap={compact ? 'nowrap' : 'wrap'}>
          <Stack gap={4} flex={compact ? 1 : '1 1 16rem'} miw={0}>
            <Group gap={compact ? '0 8px' : 'xs'} align={compact ? 'baseline' : 'center'}>
              <Title order={2} size={compact ? 'h5' : 'h4'} id={id}>
                {title}
              </Title>
              {state}
            </Group>
            {description && (
              <Text size="sm" c="dimmed" component="div" maw={640}>
                {description}
              </Text>
            )}
          </Stack>
          {actions && (
            <Group gap="xs" {...(compact && { flex: 'none' })}>
              {actions}
            </Group>
          )}
        </Group>
        {children}
      </Stack>
    </Paper>
  )
}
