import { Text } from '@mantine/core'
import { Link, type LinkProps } from '@tanstack/react-router'

interface LinkTab {
  label: string
  count?: number | undefined
  isActive: boolean
  link: LinkProps
}

/** Tabs that are links, so each has its own URL. */
export function LinkTabs({ label, tabs }: { label: string; tabs: LinkTab[] }) {
  return (
    <nav aria-label={label} className="link-tabs">
      {tabs.map(({ label, count, isActive, link }) => (
        <Link
          key={label}
          {...link}
          resetScroll={false}
          className="link-tab"
          // Otherwise a tab without search parameters would be current in every tab.
          activeOptions={{ exact: true }}
          {...(isActive && { 'aria-current': 'page' as const })}
        >
          {label}{' '}
          {count !== undefined && (
            <Text span size="xs" c="dimmed" ml={2}>
              {count}
            </Text>
          )}
        </Link>
      ))}
    </nav>
  )
}
