import './exports.css'
import { Anchor, Button, SimpleGrid, Text } from '@mantine/core'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { inUtc } from '../../../src/exports/interval.ts'
import { findTimeZone } from '../../../src/time/zones.ts'
import { answer, client, type Schemas } from '../api.ts'
import { notifyDone } from '../parts/ErrorAlert.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { describeType, type Field } from './config-schema.ts'
import { DESTINATIONS, DestinationIcon, type DestinationType } from './destinations.tsx'
import { ExportForm, type ExportValues, fromInput, sentSchedule } from './ExportForm.tsx'
import { sentConfig } from './form-config.ts'
import { parseFilters } from './models.ts'
import { EXPORT, EXPORTS, NEW_EXPORT, NEW_EXPORT_ID } from './paths.ts'
import { invalidateExport, storeExport } from './queries.ts'

const route = getRouteApi(NEW_EXPORT_ID)

const TYPES = Object.keys(DESTINATIONS) as DestinationType[]

const EMPTY: ExportValues = {
  ...inUtc('hour'),
  // Days begin at the reader's midnight unless another zone is chosen.
  timezone: findTimeZone(Intl.DateTimeFormat().resolvedOptions().timeZone) ?? 'UTC',
  name: '',
  start_at: '',
  end_at: '',
  model: 'events',
  filters: '',
  hogql_query: null,
  config: {},
  integration: null,
}

/** Chooses a destination type, then shows its form. */
export function NewExportPage() {
  const place = route.useParams()
  const { type: chosen } = route.useSearch()
  const navigate = useNavigate()
  const type = TYPES.find((name) => name === chosen)
  const above = (
    <Anchor size="sm" renderRoot={(props) => <Link to={EXPORTS} params={place} {...props} />}>
      Exports
    </Anchor>
  )
  if (!type)
    return (
      <>
        <PageHeader title="Create export" description="Where should the data go?" above={above} />
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
          {TYPES.map((name) => (
            <TypeCard key={name} type={name} place={place} />
          ))}
        </SimpleGrid>
      </>
    )

  const save = async (values: ExportValues, fields: readonly Field[]): Promise<void> => {
    const { name, start_at, end_at, model, filters, hogql_query, config, integration } = values
    const row = await answer(
      client.POST('/api/projects/{project_id}/batch_exports/', {
        params: { path: { project_id: place.project } },
        body: {
          name,
          ...sentSchedule(values),
          interval: values.interval,
          model,
          filters: parseFilters(filters),
          hogql_query,
          start_at: fromInput(start_at),
          end_at: fromInput(end_at),
          // The form is built from the schema of the type, which the compiler cannot know.
          destination: { type, config: sentConfig(fields, config), integration } as Schemas['DestinationCreate'],
        },
      }),
    )
    storeExport(place.project, row)
    notifyDone(`Created the export "${row.name}". Its first run starts at the end of the current interval.`)
    void invalidateExport(place.project, row.id)
    await navigate({ to: EXPORT, params: { ...place, export: row.id } })
  }
  return (
    <>
      <PageHeader
        title="Create export"
        description={
          <>
            Destination: {DESTINATIONS[type].label}.{' '}
            <Anchor
              inherit
              underline="always"
              renderRoot={(props) => <Link to={NEW_EXPORT} params={place} search={{}} {...props} />}
            >
              Choose another destination
            </Anchor>
          </>
        }
        above={above}
      />
      <ExportForm
        // Another type has other fields.
        key={type}
        type={type}
        project={place.project}
        saved={null}
        initial={EMPTY}
        save={save}
        submitLabel="Create export"
        cancel={
          <Button variant="default" renderRoot={(props) => <Link to={EXPORTS} params={place} {...props} />}>
            Cancel
          </Button>
        }
      />
    </>
  )
}

function TypeCard({ type, place }: { type: DestinationType; place: { organization: string; project: string } }) {
  return (
    <Link to={NEW_EXPORT} params={place} search={{ type }} className="choice">
      <DestinationIcon type={type} size={36} />
      <div>
        <Text fw={600}>{DESTINATIONS[type].label}</Text>
        <Text size="sm" c="dimmed">
          {describeType(type)}
        </Text>
      </div>
    </Link>
  )
}
