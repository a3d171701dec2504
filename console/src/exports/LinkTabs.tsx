import './exports.css'
import { Link } from '@tanstack/react-router'
import { EXPORT } from './paths.ts'
import type { Tab } from './routes.tsx'

const LABELS: Record<Tab, string> = { overview: 'Overview', runs: 'Runs', logs: 'Log', settings: 'Settings' }

/** The tabs of an export. Each has a URL. */
export function LinkTabs({
  current,
  place,
}: {
  current: Tab
  place: { organization: string; project: string; export: string }
}) {
  return (
    <nav className="link-tabs" aria-label="Sections of the export">
      {(Object.keys(LABELS) as Tab[]).map((tab) => (
        <Link
          key={tab}
          to={EXPORT}
          params={place}
          search={tab === 'overview' ? {} : { tab }}
          className="link-tab"
          // Otherwise the overview, which has no search, would be current in every tab.
          activeOptions={{ exact: true }}
          {...(tab === current && { 'aria-current': 'page' as const })}
        >
          {LABELS[tab]}
        </Link>
      ))}
    </nav>
  )
}
