import { Box, Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

/** The heading of a page. Also sets the title of the browser tab. */
export function PageHeader({
  title,
  description,
  actions,
  above,
}: {
  title: string
  description?: ReactNode
  actions?: ReactNode
  above?: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Workspace administration`
  }, [title])
  return (
    <Stack gap={4} mb="lg">
      {above}
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box flex="1 1 16rem" miw={0}>
          <Title order={1} size="h2" className="wrap">
            {title}
          </Title>
          {description && (
            <Text c="dimmed" size="sm" component="div">
              {description}
            </Text>
          )}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
    </Stack>
  )
}
