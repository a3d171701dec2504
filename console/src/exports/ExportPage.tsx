import './exports.css'
import { Anchor, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { WorkspaceError } from '../api.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { EditIcon } from '../parts/icons.tsx'
import { LinkTabs } from '../parts/LinkTabs.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { useNow } from '../parts/use-now.ts'
import { NotFound } from '../shell/RouteError.tsx'
import { BackfillButton, DeleteButton, PauseButton, RunButton, UnpauseButton } from './actions.tsx'
import { BackfillsTab } from './BackfillsTab.tsx'
import { ExportBadge } from './badges.tsx'
import { DESTINATIONS, placeOf } from './destinations.tsx'
import { LogView } from './LogView.tsx'
import { MODELS } from './models.ts'
import { Overview } from './Overview.tsx'
import { PauseBanner } from './PauseBanner.tsx'
import { EDIT_EXPORT, EXPORT, EXPORT_ID, EXPORTS } from './paths.ts'
import { exportQuery } from './queries.ts'
import { RunsTab } from './RunsTab.tsx'
import type { Tab } from './routes.tsx'
import { isActive } from './run-status.ts'
import { SettingsTab } from './SettingsTab.tsx'

const route = getRouteApi(EXPORT_ID)

const TABS: [name: Tab, label: string][] = [
  ['overview', 'Overview'],
  ['runs', 'Runs'],
  ['backfills', 'Backfills'],
  ['logs', 'Log'],
  ['settings', 'Settings'],
]

/** One export: its state, runs, log and settings. */
export function ExportPage() {
  const place = route.useParams()
  const { tab = 'overview', level, text } = route.useSearch()
  const navigate = useNavigate()
  const setSearch = route.useNavigate()
  const { data: row, error, refetch } = useQuery(exportQuery(place.project, place.export))
  const now = useNow()
  if (error instanceof WorkspaceError && error.status === 404) return <NotFound />
  if (!row) return error ? <ErrorAlert error={error} retry={() => void refetch()} /> : <PageSkeleton />
  const { label } = DESTINATIONS[row.destination.type]
  return (
    <>
      <PageHeader
        title={row.name}
        above={
          <Anchor size="sm" renderRoot={(props) => <Link to={EXPORTS} params={place} {...props} />}>
            Exports
          </Anchor>
        }
        description={
          <Group gap="sm" mt={4} wrap="wrap">
            <Group gap={6} role="status">
              <ExportBadge row={row} now={now} />
            </Group>
            <Text span size="sm" className="wrap">
              {row.model !== 'events' && `${MODELS[row.model].label} · `}
              {label} · {placeOf(row.destination)}
            </Text>
          </Group>
        }
        actions={
          <>
            {row.paused ? (
              <UnpauseButton row={row} project={place.project} />
            ) : (
              <>
                <RunButton row={row} project={place.project} />
                <PauseButton row={row} project={place.project} />
              </>
            )}
            <BackfillButton row={row} project={place.project} />
            <Button
              variant="default"
              leftSection={<EditIcon size={16} />}
              renderRoot={(props) => <Link to={EDIT_EXPORT} params={place} {...props} />}
            >
              Edit
            </Button>
            <DeleteButton
              row={row}
              project={place.project}
              onDeleted={() =>
                void navigate({
                  to: EXPORTS,
                  params: { organization: place.organization, project: place.project },
                })
              }
            />
          </>
        }
      />
      {row.paused && <PauseBanner row={row} place={place} />}
      <LinkTabs
        label="Sections of the export"
        tabs={TABS.map(([name, label]) => ({
          label,
          isActive: name === tab,
          link: { to: EXPORT, params: place, search: name === 'overview' ? {} : { tab: name } },
        }))}
      />
      {tab === 'overview' && <Overview row={row} place={place} now={now} />}
      {tab === 'runs' && <RunsTab row={row} place={place} />}
      {tab === 'backfills' && <BackfillsTab row={row} project={place.project} />}
      {tab === 'logs' && (
        <LogView
          project={place.project}
          batch_export_id={row.id}
          name={row.name}
          poll_ms={row.latest_runs.some(isActive) ? 1_500 : 10_000}
          filter={{ level, text }}
          onFilter={(filter) => void setSearch({ search: (before) => ({ ...before, ...filter }), replace: true })}
        />
      )}
      {tab === 'settings' && <SettingsTab row={row} />}
    </>
  )
}

function PageSkeleton() {
  return (
    <Stack aria-hidden>
      <Skeleton height={60} width="60%" />
      <Skeleton height={36} />
      <Skeleton height={220} />
    </Stack>
  )
}
