import { Alert, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { answer, client, type Schemas } from '../api.ts'
import { PauseIcon } from '../parts/icons.tsx'
import { ADMINISTRATOR } from '../parts/levels.ts'
import { Time } from '../parts/Time.tsx'
import { useOrganization } from '../shell/workspace.ts'

const ENTRIES = 50

type Activity = Schemas['Activity']

const isPause = ({ activity, changes }: Activity): boolean =>
  activity === 'paused' || changes.some(({ field, after }) => field === 'paused' && after === true)

const nameOf = ({ actor, user }: Activity): string =>
  actor === 'system'
    ? 'the server, because too many runs failed'
    : actor === 'operator'
      ? 'the operator of the server'
      : user?.first_name || user?.email || 'a deleted user'

/** Shows when the export was paused, the user who paused it, and the effect of the pause. */
export function PauseBanner({ row, place }: { row: Schemas['BatchExport']; place: { organization: string } }) {
  const { membership_level } = useOrganization()
  const entries = useQuery({
    queryKey: ['export', String(row.team_id), row.id, 'pause', row.last_paused_at],
    queryFn: () =>
      answer(
        client.GET('/api/organizations/{organization_id}/activity_log/', {
          params: {
            path: { organization_id: place.organization },
            query: { area: 'batch_exports', item_id: row.id, limit: ENTRIES },
          },
        }),
      ),
    // Members cannot read the activity log.
    enabled: (membership_level ?? 0) >= ADMINISTRATOR,
    staleTime: 0,
  })
  const pause = entries.data?.results.find(isPause)
  return (
    <Alert
      color="yellow"
      variant="outline"
      className="plain-alert"
      icon={<PauseIcon />}
      title="This export is paused"
      mb="md"
      role="region"
      aria-label="Pause"
    >
      <Text size="sm">
        Paused <Time value={row.last_paused_at ?? row.created_at} />
        {pause && ` by ${nameOf(pause)}`}. No runs are scheduled. New events keep arriving: when you unpause, you choose
        whether to export or skip the events of the pause. Backfills still work.
      </Text>
    </Alert>
  )
}
