import { Button, Drawer, Stack, Text, UnstyledButton } from '@mantine/core'
import { relativeTime } from '../parts/format.ts'
import { useNow } from '../parts/use-now.ts'
import type { History } from './history.ts'

/** The last queries of this browser. Choosing one puts it into the editor. */
export function HistoryDrawer({
  history: { queries, clear },
  choose,
  close,
}: {
  history: History
  choose: (text: string) => void
  close: () => void
}) {
  const now = useNow()
  return (
    <Drawer opened onClose={close} title="Recent queries" position="right">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Your last 50 queries in this project. They are stored in this browser only.
        </Text>
        {queries.length === 0 ? (
          <Text size="sm">No queries yet. A query appears here when you run it.</Text>
        ) : (
          <>
            <Stack component="ul" gap="xs" p={0} m={0} aria-label="Recent queries">
              {queries.map(({ text, at }) => (
                <li key={text} className="past-queries-item">
                  <UnstyledButton className="past-query" onClick={() => choose(text)}>
                    <span className="past-query-text mono">{text}</span>
                    <Text size="xs" c="dimmed" span>
                      {relativeTime(Date.parse(at), now)}
                    </Text>
                  </UnstyledButton>
                </li>
              ))}
            </Stack>
            <Button variant="default" size="xs" onClick={clear} style={{ alignSelf: 'flex-start' }}>
              Clear the list
            </Button>
          </>
        )}
      </Stack>
    </Drawer>
  )
}
