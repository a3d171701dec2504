import { Group, Text } from '@mantine/core'
import { Link, type LinkProps } from '@tanstack/react-router'

interface LinkTab {
  label: string
  count?: number | undefined
  isActive: boolean
  link: LinkProps
}

/** Tabs that are links, so each has a URL of its own. */
export function LinkTabs({ label, tabs }: { label: string; tabs: LinkTab[] }) {
  return (
    <Group component="nav" aria-label={label} gap={4} className="link-tabs">
      {tabs.map(({ label, count, isActive, link }) => (
        <Link
          key={label}
          {...link}
          resetScroll={false}
          className={isActive ? 'link-tab link-tab-active' : 'link-tab'}
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
    </Group>
  )
}
