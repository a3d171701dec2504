import { Skeleton, Table } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { count } from '../parts/format.ts'
import { StateBadge } from '../parts/StateBadge.tsx'
import { Time } from '../parts/Time.tsx'
import { PERSON } from './paths.ts'
import type { ListedPerson } from './queries.ts'

/** Persons by name. The rows are cards on a phone. */
export function PersonsTable({
  persons,
  place,
}: {
  persons: ListedPerson[]
  place: { organization: string; project: string }
}) {
  // A query does not know whether persons are identified.
  const hasState = persons.some(({ is_identified }) => is_identified !== undefined)
  return (
    <Table className="person-rows" aria-label="Persons">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w="34%">Person</Table.Th>
          <Table.Th>Distinct ids</Table.Th>
          {hasState && <Table.Th w={140}>State</Table.Th>}
          <Table.Th w={140}>First seen</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {persons.map((person) => (
          <Table.Tr key={person.id}>
            <Table.Td title={person.name} className="person-title">
              <Link to={PERSON} params={{ ...place, person: person.id }} className="row-link">
                {person.name}
              </Link>
            </Table.Td>
            <Table.Td c="dimmed" className="person-title">
              <DistinctIds person={person} />
            </Table.Td>
            {person.is_identified !== undefined && (
              <Table.Td>
                <IdentifiedBadge is_identified={person.is_identified} />
              </Table.Td>
            )}
            <Table.Td>
              <Time value={person.created_at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

/** A person without another name is already called by its distinct id. Only the id is cut if the column is narrow. */
function DistinctIds({ person: { name, distinct_id, others = 0 } }: { person: ListedPerson }) {
  const isKnown = distinct_id === undefined || distinct_id === name
  if (isKnown && others === 0) return null
  return (
    <span className="person-list-ids">
      {!isKnown && <span title={distinct_id}>{distinct_id}</span>}
      {others > 0 && <span>{isKnown ? `${count(others)} more` : `and ${count(others)} more`}</span>}
    </span>
  )
}

export const IdentifiedBadge = ({ is_identified }: { is_identified: boolean }) => (
  <StateBadge color={is_identified ? 'green' : 'gray.6'}>{is_identified ? 'identified' : 'anonymous'}</StateBadge>
)

const ROWS = 12

/** As high as the rows that replace it. */
export const PersonsTableSkeleton = () => (
  <div className="person-skeletons" role="status" aria-label="Loading persons">
    {Array.from({ length: ROWS }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: skeletons have no identity.
      <Skeleton key={row} />
    ))}
  </div>
)
