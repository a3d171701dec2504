import { Text } from '@mantine/core'
import type { Schemas } from '../api.ts'
import { duration } from '../parts/format.ts'
import { StateBadge } from '../parts/StateBadge.tsx'
import { STATUSES, statusLabel, TONE_COLORS } from './run-status.ts'
import { type ExportState, lateSince, stateOf } from './schedule.ts'

const STATES: Record<ExportState, { label: string; color: string }> = {
  running: { label: 'Running', color: 'blue' },
  scheduled: { label: 'Scheduled', color: 'green' },
  paused: { label: 'Paused', color: 'yellow' },
  failing: { label: 'Failing', color: 'red' },
  late: { label: 'Late', color: 'orange' },
  ended: { label: 'Ended', color: 'gray' },
}

/** The state of an export as word and color. */
export function ExportBadge({ row, now }: { row: Schemas['BatchExport']; now: number }) {
  const state = stateOf(row, now)
  const since = state === 'late' ? lateSince(row, now) : null
  return (
    <>
      <StateBadge color={STATES[state].color}>{STATES[state].label}</StateBadge>
      {since !== null && (
        <Text size="xs" c="dimmed">
          by {duration(now - since)}
        </Text>
      )}
    </>
  )
}

/** `cancelling` is true from the request until the server says that the run has ended. */
export function RunBadge({ run, cancelling = false }: { run: Schemas['BatchExportRun']; cancelling?: boolean }) {
  return cancelling ? (
    <StateBadge color="yellow">Cancelling</StateBadge>
  ) : (
    <StateBadge color={TONE_COLORS[STATUSES[run.status].tone]}>{statusLabel(run)}</StateBadge>
  )
}
