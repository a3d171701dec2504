import './exports.css'
import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { KeyboardEvent } from 'react'
import type { Schemas } from '../api.ts'
import { EXPORT } from './paths.ts'
import { describeRun, STATUSES } from './run-status.ts'

const LOWEST = 18

/** The latest runs as bars, oldest first. The height follows the number of rows. Only one of them is in the tab order. */
export function RunBars({
  row,
  place,
}: {
  row: Schemas['BatchExport']
  place: { organization: string; project: string }
}) {
  if (row.latest_runs.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No runs yet
      </Text>
    )
  const most = Math.max(1, ...row.latest_runs.map(({ records_completed }) => records_completed ?? 0))
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls.
    <div className="run-bars" role="group" aria-label={`Latest runs of ${row.name}`} onKeyDown={moveFocus}>
      {row.latest_runs.toReversed().map((run, i, all) => {
        const { tone } = STATUSES[run.status]
        const share = (run.records_completed ?? 0) / most
        const height = tone === 'bad' ? 100 : Math.max(LOWEST, share * 100)
        return (
          <Link
            key={run.id}
            to={EXPORT}
            params={{ ...place, export: row.id }}
            search={{ tab: 'runs', run: run.id }}
            className="run-bar"
            aria-label={describeRun(run)}
            title={describeRun(run)}
            tabIndex={i === all.length - 1 ? 0 : -1}
          >
            <span className={`run-bar-${tone}`} style={{ height: `${height}%` }} />
          </Link>
        )
      })}
    </div>
  )
}

/** The arrow keys move between the bars. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
  if (step === undefined) return
  const bars = [...event.currentTarget.querySelectorAll('a')]
  const next = bars[bars.indexOf(document.activeElement as HTMLAnchorElement) + step]
  next?.focus()
  event.preventDefault()
}
