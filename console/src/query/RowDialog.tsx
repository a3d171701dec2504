import { Group, Modal, Stack, Text } from '@mantine/core'
import { CopyIconButton } from '../parts/Copy.tsx'
import { count } from '../parts/format.ts'
import { type Row, shownText } from './result.ts'

/** All values of a row. The table cuts long ones. */
export function RowDialog({
  columns,
  row,
  number,
  close,
}: {
  columns: string[]
  row: Row
  /** Counted from 1. */
  number: number
  close: () => void
}) {
  return (
    <Modal opened onClose={close} title={`Row ${count(number)}`} size="lg">
      <Stack gap="sm">
        {columns.map((name, i) => (
          <div key={name}>
            <Group gap={4} wrap="nowrap">
              <Text size="xs" c="dimmed" className="wrap">
                {name}
              </Text>
              <CopyIconButton value={shownText(row[i])} label={name} />
            </Group>
            <pre className="result-value mono">{fullText(row[i])}</pre>
          </div>
        ))}
      </Stack>
    </Modal>
  )
}

/** JSON in several lines. The values of JSON columns are objects or text. */
const fullText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : shownText(value)
