import { Anchor, Button, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { answer, client, type Schemas, WorkspaceError } from '../api.ts'
import { ErrorAlert, notifyDone } from '../parts/ErrorAlert.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { NotFound } from '../shell/RouteError.tsx'
import { type Field, fieldsOf, flatConfig } from './config-schema.ts'
import { ExportForm, type ExportValues, fromInput, sentSchedule, toInput } from './ExportForm.tsx'
import { changedConfig, movedConfig } from './form-config.ts'
import { filtersText, parseFilters } from './models.ts'
import { EDIT_EXPORT_ID, EXPORT } from './paths.ts'
import { exportQuery, invalidateExport, storeExport } from './queries.ts'

const route = getRouteApi(EDIT_EXPORT_ID)
const SCHEDULE = ['interval', 'timezone', 'offset_day', 'offset_hour'] as const

/** Changes an export. Only changed fields are sent, so stored secrets are kept. */
export function EditExportPage() {
  const place = route.useParams()
  const navigate = useNavigate()
  const { data: row, error } = useQuery({ ...exportQuery(place.project, place.export), refetchInterval: false })
  if (error instanceof WorkspaceError && error.status === 404) return <NotFound />
  if (!row) return error ? <ErrorAlert error={error} /> : <Skeleton height={400} />
  const initial = valuesOf(row)
  const save = async (values: ExportValues, fields: readonly Field[]): Promise<void> => {
    const { integration } = values
    const isMoved = integration !== initial.integration
    const changed = (isMoved ? movedConfig : changedConfig)(fields, initial.config, values.config)
    const updated = await answer(
      client.PATCH('/api/projects/{project_id}/batch_exports/{id}/', {
        params: { path: { project_id: place.project, id: row.id } },
        body: {
          ...(values.name !== initial.name && { name: values.name }),
          ...(SCHEDULE.some((field) => values[field] !== initial[field]) && sentSchedule(values)),
          ...(values.start_at !== initial.start_at && { start_at: fromInput(values.start_at) }),
          ...(values.end_at !== initial.end_at && { end_at: fromInput(values.end_at) }),
          ...(values.filters !== initial.filters && { filters: parseFilters(values.filters) }),
          ...(values.hogql_query !== initial.hogql_query && { hogql_query: values.hogql_query }),
          ...((isMoved || Object.keys(changed).length > 0) && {
            destination: { ...(isMoved && { integration }), config: changed },
          }),
        },
      }),
    )
    storeExport(place.project, updated)
    notifyDone(`Saved the export "${updated.name}".`)
    void invalidateExport(place.project, row.id)
    await navigate({ to: EXPORT, params: place })
  }
  return (
    <>
      <PageHeader
        title={`Edit ${row.name}`}
        description="The schedule changes immediately. A change of the schedule neither loses nor repeats events."
        above={
          <Anchor size="sm" renderRoot={(props) => <Link to={EXPORT} params={place} {...props} />}>
            {row.name}
          </Anchor>
        }
      />
      <ExportForm
        key={row.id}
        type={row.destination.type}
        project={place.project}
        saved={row}
        initial={initial}
        save={save}
        submitLabel="Save export"
        cancel={
          <Button variant="default" renderRoot={(props) => <Link to={EXPORT} params={place} {...props} />}>
            Cancel
          </Button>
        }
      />
    </>
  )
}

const valuesOf = (row: Schemas['BatchExport']): ExportValues => ({
  name: row.name,
  interval: row.interval,
  timezone: row.timezone,
  offset_day: row.offset_day,
  offset_hour: row.offset_hour,
  start_at: toInput(row.start_at),
  end_at: toInput(row.end_at),
  model: row.model,
  filters: filtersText(row.filters),
  hogql_query: row.hogql_query,
  integration: row.destination.integration,
  config: flatConfig(fieldsOf(row.destination.type), { ...row.destination.config }),
})
