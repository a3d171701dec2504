import './data-table.css'
import { Paper, Skeleton, Table, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'

const SKELETON_ROWS = 5

/** A table with a caption for screen readers. Shows skeletons until its rows are loaded. On a phone its rows are cards. */
export function DataTable({
  label,
  columns,
  minWidth,
  loading,
  children,
}: {
  label: string
  columns: ReactNode[]
  /** On narrower screens above the width of a phone, the table scrolls, not the page. */
  minWidth: number
  loading: boolean
  children: ReactNode
}) {
  return (
    <Paper withBorder className="data-table" style={labelsOf(columns)}>
      {/* Positioned, so hidden texts of its rows do not widen the page. */}
      <Table.ScrollContainer minWidth={minWidth} type="native" pos="relative">
        <Table aria-label={label} aria-busy={loading}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns never move.
                <Table.Th key={index}>{column}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{loading ? <SkeletonRows columns={columns.length} /> : children}</Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  )
}

/** The texts of the header for the styles of cards. */
const labelsOf = (columns: ReactNode[]): Record<string, string> =>
  Object.fromEntries(
    columns.flatMap((column, index) =>
      typeof column === 'string' ? [[`--label-${index + 1}`, JSON.stringify(column)]] : [],
    ),
  )

/** The header of the column with buttons. */
export const ActionsHeader = <VisuallyHidden>Actions</VisuallyHidden>

const SkeletonRows = ({ columns }: { columns: number }) =>
  Array.from({ length: SKELETON_ROWS }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: skeletons have no identity.
    <Table.Tr key={row}>
      <Table.Td colSpan={columns}>
        <Skeleton h={22} />
      </Table.Td>
    </Table.Tr>
  ))
