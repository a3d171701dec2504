import { NavLink, Text } from '@mantine/core'
import { Link, type LinkProps, useRouter, useRouterState } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import * as icons from '../parts/icons.tsx'
import { useCurrentPlace } from './workspace.ts'

/** The pages of the current project, of its organization and of the user. */
export function Navigation() {
  const { organization, project } = useCurrentPlace()
  return (
    <>
      {organization && project && <ProjectPages params={{ organization, project }} />}
      {organization && <OrganizationPages params={{ organization }} />}
      <Section title="You">
        <Item link={{ to: '/account/profile' }} icon={<icons.AccountIcon />}>
          Profile
        </Item>
        <Item link={{ to: '/account/security' }} icon={<icons.ShieldIcon />}>
          Security
        </Item>
        <Item link={{ to: '/account/sessions' }} icon={<icons.StatusIcon />}>
          Sessions
        </Item>
        <Item link={{ to: '/account/keys' }} icon={<icons.KeyIcon />}>
          API keys
        </Item>
      </Section>
    </>
  )
}

function ProjectPages({ params }: { params: { organization: string; project: string } }) {
  const at = '/organizations/$organization/projects/$project'
  return (
    <Section title="Project">
      <Item link={{ to: `${at}/home`, params }} icon={<icons.HomeIcon />}>
        Home
      </Item>
      <Item link={{ to: `${at}/exports`, params }} icon={<icons.ExportIcon />}>
        Exports
      </Item>
      <Item link={{ to: `${at}/events`, params }} icon={<icons.EventIcon />}>
        Events
      </Item>
      <Item link={{ to: `${at}/persons`, params }} icon={<icons.PersonIcon />}>
        Persons
      </Item>
      <Item link={{ to: `${at}/query`, params }} icon={<icons.QueryIcon />}>
        Query
      </Item>
      <Item link={{ to: `${at}/plugins`, params }} icon={<icons.PluginIcon />}>
        Plugins
      </Item>
    </Section>
  )
}

function OrganizationPages({ params }: { params: { organization: string } }) {
  const at = '/organizations/$organization'
  return (
    <Section title="Organization">
      <Item link={{ to: `${at}/members`, params }} icon={<icons.MembersIcon />}>
        Members
      </Item>
      <Item link={{ to: `${at}/invites`, params }} icon={<icons.InviteIcon />}>
        Invites
      </Item>
      <Item link={{ to: `${at}/domains`, params }} icon={<icons.DomainIcon />}>
        Domains and sign-in
      </Item>
      <Item link={{ to: `${at}/projects`, params }} isExact icon={<icons.ProjectIcon />}>
        Projects
      </Item>
      <Item link={{ to: `${at}/credentials`, params }} icon={<icons.LockIcon />}>
        Credentials
      </Item>
      <Item link={{ to: `${at}/alerts`, params }} icon={<icons.AlertIcon />}>
        Alerts
      </Item>
      <Item link={{ to: `${at}/activity`, params }} icon={<icons.ActivityIcon />}>
        Activity log
      </Item>
      <Item link={{ to: `${at}/settings`, params }} icon={<icons.SettingsIcon />}>
        Settings
      </Item>
    </Section>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <Text size="xs" c="dimmed" fw={600} tt="uppercase" px="sm" pt="sm" pb={4}>
        {title}
      </Text>
      {children}
    </>
  )
}

/** A page, which is current with all pages below it unless `isExact`. */
function Item({
  link,
  icon,
  isExact,
  children,
}: {
  link: LinkProps
  icon: ReactNode
  isExact?: boolean
  children: ReactNode
}) {
  const { pathname } = useRouter().buildLocation(link)
  const path = useRouterState({ select: (state) => state.location.pathname.replace(/\/$/, '') })
  const active = path === pathname || (!isExact && path.startsWith(`${pathname}/`))
  return (
    <NavLink
      renderRoot={(props) => <Link {...link} activeOptions={{ exact: true }} {...props} />}
      label={children}
      leftSection={icon}
      active={active}
      variant="light"
      {...(active && { 'aria-current': 'page' as const })}
    />
  )
}
