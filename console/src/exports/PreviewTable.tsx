import './exports.css'
import { Group, Loader, Skeleton, Table, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import type { Preview } from './preview.ts'

const cellText = (value: unknown): string =>
  value === null ? 'NULL' : typeof value === 'object' ? JSON.stringify(value) : String(value)

/** The first rows of the export. The place for ten rows is reserved. */
export function PreviewTable({ query, isAtField }: { query: UseQueryResult<Preview>; isAtField: boolean }) {
  const { data, error, isFetching } = query
  return (
    <section aria-labelledby="preview-title">
      <Group justify="space-between" mb={4} mih={24}>
        <Text size="sm" fw={600} id="preview-title">
          Preview
        </Text>
        <Group gap="xs" role="status">
          {isFetching && <Loader size={14} aria-hidden />}
          <Text size="xs" c="dimmed">
            {isFetching ? 'Reading rows…' : data && !error ? `${plural(data.results.length, 'recent row')}` : ''}
          </Text>
        </Group>
      </Group>
      <div className="preview-box">
        {error && !isAtField ? (
          <ErrorAlert error={error} title="The preview failed" retry={() => void query.refetch()} />
        ) : error ? (
          <Text size="sm" c="dimmed" p="md">
            Correct the error above to see rows.
          </Text>
        ) : !data ? (
          <Skeleton height="100%" />
        ) : data.results.length === 0 ? (
          <Text size="sm" c="dimmed" p="md">
            No recent row matches. New rows that match are exported.
          </Text>
        ) : (
          <Rows preview={data} />
        )}
      </div>
    </section>
  )
}

function Rows({ preview: { columns, results } }: { preview: Preview }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the rows scroll, also by keyboard.
    <section className="preview-rows" tabIndex={0} aria-label="Rows of the preview">
      <Table fz="xs" verticalSpacing={4} aria-label="Preview" highlightOnHover={false}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column}>{column}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {results.map((values, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a preview have no id and never change.
            <Table.Tr key={i}>
              {values.map((value, column) => (
                <Table.Td key={columns[column]} {...(typeof value === 'number' && { className: 'number' })}>
                  <Text span size="xs" className="one-line mono" maw={260} title={cellText(value)}>
                    {cellText(value)}
                  </Text>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}
