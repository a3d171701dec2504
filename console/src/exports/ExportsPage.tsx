import './exports.css'
import { Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { PlusIcon } from '../parts/icons.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Pager } from '../parts/Pager.tsx'
import { SearchField } from '../parts/SearchField.tsx'
import { useNow } from '../parts/use-now.ts'
import { ExportTable } from './ExportTable.tsx'
import { ListSkeleton } from './ListSkeleton.tsx'
import { EXPORTS_ID, NEW_EXPORT } from './paths.ts'
import { EXPORTS_PER_PAGE, exportsQuery } from './queries.ts'

const route = getRouteApi(EXPORTS_ID)

/** The exports of a project with their state, schedule and latest runs. */
export function ExportsPage() {
  const place = route.useParams()
  const { search, page = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  const exports = useQuery(exportsQuery(place.project, { search, page }))
  const now = useNow()
  const create = (
    <ButtonLink to={NEW_EXPORT} params={place} leftSection={<PlusIcon />}>
      Create export
    </ButtonLink>
  )
  const isEmpty = exports.data?.count === 0 && search === undefined
  return (
    <>
      <PageHeader
        title="Exports"
        description="Deliver the events, persons and sessions of this project to files, buckets, databases and servers on a schedule."
        actions={isEmpty ? undefined : create}
      />
      {exports.error && <ErrorAlert error={exports.error} retry={() => void exports.refetch()} />}
      {isEmpty ? (
        <EmptyState title="No exports yet" action={create}>
          An export delivers new events every 5 or 15 minutes, every hour, day or week. Choose a destination, test the
          connection, and the first run starts at the end of the current interval.
        </EmptyState>
      ) : (
        <Stack gap="sm">
          <SearchField
            label="Search exports by name"
            placeholder="Search by name"
            value={search ?? ''}
            onChange={(search) => void navigate({ search: { search: search || undefined }, replace: true })}
          />
          {exports.data ? (
            <ExportTable rows={exports.data.results} place={place} now={now} />
          ) : (
            exports.isPending && <ListSkeleton />
          )}
          {exports.data?.count === 0 && search !== undefined && (
            <EmptyState
              title="No export found"
              action={
                <Button variant="default" onClick={() => void navigate({ search: {} })}>
                  Clear search
                </Button>
              }
            >
              No export of this project has “{search}” in its name.
            </EmptyState>
          )}
          {exports.data && exports.data.count > 0 && (
            <Pager
              count={exports.data.count}
              limit={EXPORTS_PER_PAGE}
              page={page}
              noun="export"
              onChange={(page) => void navigate({ search: { search, page } })}
            />
          )}
        </Stack>
      )}
    </>
  )
}
