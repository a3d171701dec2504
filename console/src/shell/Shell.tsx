import {
  ActionIcon,
  AppShell,
  Avatar,
  Burger,
  Group,
  Menu,
  NavLink,
  ScrollArea,
  Text,
  Tooltip,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { type ReactNode, Suspense, useEffect } from 'react'
import { queryClient, signOut } from '../api.ts'
import * as icons from '../parts/icons.tsx'
import { nameOf } from '../parts/people.ts'
import { SessionGuard } from '../signin/SessionGuard.tsx'
import { SearchButton } from './Search.tsx'
import { Switcher } from './Switcher.tsx'
import { useCurrentPlace, useMe } from './workspace.ts'

/** The frame of every signed-in page: header, navigation and content. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure(false)
  const path = useRouterState({ select: (state) => state.location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the navigation on a phone.
  useEffect(close, [path])
  return (
    <SessionGuard>
      <AppShell
        header={{ height: 52 }}
        navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !opened } }}
        padding="md"
        transitionDuration={0}
      >
        <a className="skip-link" href="#content">
          Skip to content
        </a>
        <AppShell.Header px="md">
          <Group h="100%" justify="space-between" wrap="nowrap" gap="xs">
            <Group wrap="nowrap" gap="xs" miw={0}>
              <Burger
                opened={opened}
                onClick={toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label={opened ? 'Close navigation' : 'Open navigation'}
              />
              <Switcher />
            </Group>
            <Group gap={6} wrap="nowrap">
              <SearchButton />
              <SchemeButton />
              <AccountMenu />
            </Group>
          </Group>
        </AppShell.Header>
        <AppShell.Navbar aria-label="Main">
          <ScrollArea p="xs">
            <Navigation />
          </ScrollArea>
        </AppShell.Navbar>
        <AppShell.Main id="content">
          <Suspense>
            <Outlet />
          </Suspense>
        </AppShell.Main>
      </AppShell>
    </SessionGuard>
  )
}

function Navigation() {
  const { organization, project } = useCurrentPlace()
  return (
    <>
      {organization && project && (
        <Section title="Project">
          <Item to={`/organizations/${organization}/projects/${project}/home`} icon={<icons.HomeIcon />}>
            Home
          </Item>
          <Item to={`/organizations/${organization}/projects/${project}/exports`} icon={<icons.ExportIcon />}>
            Exports
          </Item>
          <Item to={`/organizations/${organization}/projects/${project}/events`} icon={<icons.EventIcon />}>
            Events
          </Item>
          <Item to={`/organizations/${organization}/projects/${project}/persons`} icon={<icons.PersonIcon />}>
            Persons
          </Item>
          <Item to={`/organizations/${organization}/projects/${project}/query`} icon={<icons.QueryIcon />}>
            Query
          </Item>
          <Item to={`/organizations/${organization}/projects/${project}/plugins`} icon={<icons.PluginIcon />}>
            Plugins
          </Item>
        </Section>
      )}
      {organization && (
        <Section title="Organization">
          <Item to={`/organizations/${organization}/members`} icon={<icons.MembersIcon />}>
            Members
          </Item>
          <Item to={`/organizations/${organization}/invites`} icon={<icons.InviteIcon />}>
            Invites
          </Item>
          <Item to={`/organizations/${organization}/domains`} icon={<icons.DomainIcon />}>
            Domains and sign-in
          </Item>
          <Item to={`/organizations/${organization}/projects`} exact icon={<icons.ProjectIcon />}>
            Projects
          </Item>
          <Item to={`/organizations/${organization}/credentials`} icon={<icons.LockIcon />}>
            Credentials
          </Item>
          <Item to={`/organizations/${organization}/alerts`} icon={<icons.AlertIcon />}>
            Alerts
          </Item>
          <Item to={`/organizations/${organization}/activity`} icon={<icons.ActivityIcon />}>
            Activity log
          </Item>
          <Item to={`/organizations/${organization}/settings`} icon={<icons.SettingsIcon />}>
            Settings
          </Item>
        </Section>
      )}
      <Section title="You">
        <Item to="/account/profile" icon={<icons.AccountIcon />}>
          Profile
        </Item>
        <Item to="/account/security" icon={<icons.ShieldIcon />}>
          Security
        </Item>
        <Item to="/account/sessions" icon={<icons.StatusIcon />}>
          Sessions
        </Item>
        <Item to="/account/keys" icon={<icons.KeyIcon />}>
          API keys
        </Item>
      </Section>
    </>
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

function Item({ to, icon, exact, children }: { to: string; icon: ReactNode; exact?: boolean; children: ReactNode }) {
  const path = useRouterState({ select: (state) => state.location.pathname.replace(/\/$/, '') })
  const active = exact ? path === to : path === to || path.startsWith(`${to}/`)
  return (
    <NavLink
      component={Link}
      // The paths are built from ids, so the router cannot check them as literals.
      to={to as '/'}
      label={children}
      leftSection={icon}
      active={active}
      variant="light"
      activeOptions={{ exact: true }}
      {...(active && { 'aria-current': 'page' as const })}
    />
  )
}

function SchemeButton() {
  const { setColorScheme } = useMantineColorScheme()
  const dark = useComputedColorScheme('light') === 'dark'
  const label = dark ? 'Use the light theme' : 'Use the dark theme'
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={label}
        onClick={() => setColorScheme(dark ? 'light' : 'dark')}
      >
        {dark ? <icons.SunIcon /> : <icons.MoonIcon />}
      </ActionIcon>
    </Tooltip>
  )
}

function AccountMenu() {
  const me = useMe()
  const navigate = useNavigate()
  const leave = async (): Promise<void> => {
    await signOut()
    await navigate({ to: '/login' })
    queryClient.clear()
  }
  const name = nameOf(me)
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton aria-label={`Account of ${name}`}>
          <Avatar size={32} radius="xl" color="indigo" variant="filled" aria-hidden>
            {name.slice(0, 1).toUpperCase()}
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="wrap">Signed in as {me.email}</Menu.Label>
        <Menu.Item component={Link} to="/account/profile" leftSection={<icons.AccountIcon />}>
          Profile
        </Menu.Item>
        <Menu.Item component={Link} to="/instance" leftSection={<icons.StatusIcon />}>
          Instance status
        </Menu.Item>
        <Menu.Item component="a" href="/docs" leftSection={<icons.BookIcon />}>
          API reference
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => void leave()} leftSection={<icons.CloseIcon />}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
