import { Box, Center, Group, Paper, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

/** The frame of pages without a session. */
export function Frame({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Workspace administration`
  }, [title])
  return (
    <Center mih="100vh" p="md" component="main">
      <Box w="100%" maw={420}>
        <Group gap="xs" mb="md" justify="center">
          <img src="/icon.svg" alt="" width={28} height={28} />
          <span>Workspace administration</span>
        </Group>
        <Paper withBorder p="lg" shadow="xs">
          <Title order={1} size="h3" mb="md">
            {title}
          </Title>
          {children}
        </Paper>
      </Box>
    </Center>
  )
}
