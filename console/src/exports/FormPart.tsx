import { Card, Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** A part of the form of an export. After a change of the step, its heading gets the focus. */
export function FormPart({
  title,
  icon,
  description,
  children,
}: {
  title: string
  icon?: ReactNode
  description?: string
  children: ReactNode
}) {
  return (
    <Card withBorder component="section" padding="lg" aria-label={title}>
      <Group gap="sm" mb="md" wrap="nowrap">
        {icon}
        <div>
          <Title order={2} size="h4" tabIndex={-1} className="step-title">
            {title}
          </Title>
          {description && (
            <Text size="sm" c="dimmed">
              {description}
            </Text>
          )}
        </div>
      </Group>
      <Stack gap="md">{children}</Stack>
    </Card>
  )
}
