import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

/** A bordered part of a page with a heading. */
export function Section({
  title,
  description,
  state,
  actions,
  children,
}: {
  title: string
  description?: ReactNode
  /** For example a badge beside the heading. */
  state?: ReactNode
  actions?: ReactNode
  children?: ReactNode
}) {
  const id = useId()
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby={id}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" gap="sm">
          <Stack gap={4} flex="1 1 16rem" miw={0}>
            <Group gap="xs">
              <Title order={2} size="h4" id={id}>
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
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
        {children}
      </Stack>
    </Paper>
  )
}
