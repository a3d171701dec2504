import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { WorkspaceError } from '../api.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { AnchorLink } from '../parts/links.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { NotFound } from '../shell/RouteError.tsx'
import { EditExportForm } from './EditExportForm.tsx'
import { EDIT_EXPORT_ID, EXPORT } from './paths.ts'
import { exportQuery } from './queries.ts'

const route = getRouteApi(EDIT_EXPORT_ID)

/** Changes an export. */
export function EditExportPage() {
  const place = route.useParams()
  const {
    data: row,
    error,
    refetch,
  } = useQuery({
    ...exportQuery(place.project, place.export),
    refetchInterval: false,
  })
  if (error instanceof WorkspaceError && error.status === 404) return <NotFound />
  if (!row) return error ? <ErrorAlert error={error} retry={() => void refetch()} /> : <PageSkeleton />
  return (
    <>
      <PageHeader
        title={`Edit ${row.name}`}
        description="The schedule changes immediately. A change of the schedule neither loses nor repeats events."
        above={
          <AnchorLink size="sm" to={EXPORT} params={place}>
            {row.name}
          </AnchorLink>
        }
      />
      <EditExportForm key={row.id} row={row} place={place} />
    </>
  )
}

function PageSkeleton() {
  return (
    <Stack aria-hidden maw={880}>
      <Skeleton height={60} width="60%" />
      <Skeleton height={300} />
      <Skeleton height={420} />
    </Stack>
  )
}
