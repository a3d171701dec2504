import {
  ActionIcon,
  AppShell,
  Avatar,
  Burger,
  Group,
  Menu,
  ScrollArea,
  Tooltip,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { Suspense, useEffect } from 'react'
import { queryClient, signOut } from '../api.ts'
import * as icons from '../parts/icons.tsx'
import { nameOf } from '../parts/people.ts'
import { SessionGuard } from '../signin/SessionGuard.tsx'
import { Navigation } from './Navigation.tsx'
import { SearchButton } from './Search.tsx'
import { Switcher } from './Switcher.tsx'
import { useMe } from './workspace.ts'

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
