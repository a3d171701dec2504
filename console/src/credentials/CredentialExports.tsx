import { List, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { EXPORT } from '../exports/paths.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { Pager } from '../parts/Pager.tsx'
import { Section } from '../parts/Section.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { CREDENTIAL_ID } from './paths.ts'
import { type CredentialProps, PAGE_SIZE, usersQuery } from './queries.ts'

const route = getRouteApi(CREDENTIAL_ID)

/** The exports that use the credentials. */
export function CredentialExports({ integration }: CredentialProps) {
  const organization = useOrganization()
  const place = route.useParams()
  const navigate = route.useNavigate()
  const { page = 1 } = route.useSearch()
  const found = useQuery(usersQuery(organization.id, integration.id, page))
  const project = (id: number): string => organization.teams.find((team) => team.id === id)?.name ?? `Project ${id}`
  return (
    <Section title="Exports with these credentials">
      {found.error ? (
        <ErrorAlert error={found.error} retry={() => void found.refetch()} />
      ) : !found.data ? (
        <Skeleton h={24} />
      ) : found.data.count === 0 ? (
        <Text size="sm" c="dimmed">
          No export uses them yet. Choose them under “Credentials” in the form of an export.
        </Text>
      ) : (
        <div>
          <List spacing={6} size="sm" listStyleType="none" aria-label="Exports with these credentials">
            {found.data.results.map(({ id, name, team_id, paused }) => (
              <List.Item key={id}>
                <Link
                  to={EXPORT}
                  params={{ organization: place.organization, project: String(team_id), export: id }}
                  search={{}}
                  className="row-link wrap"
                >
                  {name}
                </Link>{' '}
                <Text span size="sm" c="dimmed">
                  in {project(team_id)}
                  {paused ? ', paused' : ''}
                </Text>
              </List.Item>
            ))}
          </List>
          <Pager
            count={found.data.count}
            limit={PAGE_SIZE}
            page={page}
            noun="export"
            onChange={(page) => void navigate({ search: (before) => ({ ...before, page }) })}
          />
        </div>
      )}
    </Section>
  )
}
