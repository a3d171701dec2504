import { Combobox, Group, Modal, Text, TextInput, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { answer, client } from '../api.ts'
import { SearchIcon } from '../parts/icons.tsx'
import { useCurrentPlace } from './workspace.ts'

interface Target {
  label: string
  group: string
  to: string
}

const RESULTS = 20

/** Finds pages and exports by name. */
export function SearchDialog({ close }: { close: () => void }) {
  const navigate = useNavigate()
  const { organization, project } = useCurrentPlace()
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text, 150)
  const combobox = useCombobox()
  const exports = useQuery({
    queryKey: ['search', project, search],
    queryFn: () =>
      answer(
        client.GET('/api/projects/{project_id}/batch_exports/', {
          params: { path: { project_id: project ?? '' }, query: { limit: RESULTS, search } },
        }),
      ),
    enabled: project !== undefined,
    placeholderData: keepPreviousData,
  })
  const wanted = text.toLowerCase()
  const pages = pagesOf(organization, project).filter(({ label }) => label.toLowerCase().includes(wanted))
  const found: Target[] = (exports.data?.results ?? [])
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .map(({ id, name }) => ({
      label: name,
      group: 'Exports',
      to: `/organizations/${organization}/projects/${project}/exports/${id}`,
    }))
  const targets = [...found, ...pages].slice(0, RESULTS)

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new list selects its first item.
  useEffect(() => {
    combobox.openDropdown()
    combobox.selectFirstOption()
  }, [targets.map(({ to }) => to).join()])

  const open = (to: string): void => {
    close()
    void navigate({ to: to as '/' })
  }
  return (
    <Modal
      opened
      onClose={close}
      withCloseButton={false}
      padding={0}
      title="Search"
      styles={{ header: { display: 'none' } }}
    >
      <Combobox store={combobox} onOptionSubmit={open} withinPortal={false}>
        <Combobox.EventsTarget withExpandedAttribute>
          <TextInput
            data-autofocus
            role="combobox"
            aria-label="Search exports and pages"
            placeholder="Search exports and pages"
            leftSection={<SearchIcon />}
            size="md"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            // The list would take the first Escape to close itself.
            onKeyDown={(event) => {
              if (event.key === 'Escape') close()
            }}
          />
        </Combobox.EventsTarget>
        <Combobox.Options aria-label="Results" mah={360} style={{ overflowY: 'auto' }}>
          {targets.map(({ label, group, to }) => (
            <Combobox.Option key={to} value={to}>
              <Group justify="space-between" wrap="nowrap">
                <Text span inherit truncate>
                  {label}
                </Text>
                <Text span size="xs" opacity={0.85}>
                  {group}
                </Text>
              </Group>
            </Combobox.Option>
          ))}
          {targets.length === 0 && <Combobox.Empty>No results for "{text}".</Combobox.Empty>}
        </Combobox.Options>
      </Combobox>
    </Modal>
  )
}

function pagesOf(organization: string | undefined, project: string | undefined): Target[] {
  const inOrganization = (label: string, path: string): Target => ({
    label,
    group: 'Organization',
    to: `/organizations/${organization}/${path}`,
  })
  const inProject = (label: string, path: string): Target => ({
    label,
    group: 'Project',
    to: `/organizations/${organization}/projects/${project}/${path}`,
  })
  return [
    ...(organization && project
      ? [
          inProject('Exports', 'exports'),
          inProject('New export', 'exports/new'),
          inProject('Events', 'events'),
          inProject('Query', 'query'),
          inProject('Plugins', 'plugins'),
        ]
      : []),
    ...(organization
      ? [
          inOrganization('Members', 'members'),
          inOrganization('Invites', 'invites'),
          inOrganization('Domains and sign-in', 'domains'),
          inOrganization('Projects', 'projects'),
          inOrganization('Alerts', 'alerts'),
          inOrganization('Credentials', 'credentials'),
          inOrganization('Activity log', 'activity'),
          inOrganization('Settings', 'settings'),
        ]
      : []),
    ...[
      ['Profile', 'profile'],
      ['Security', 'security'],
      ['Sessions', 'sessions'],
      ['API keys', 'keys'],
    ].map(([label = '', path]) => ({ label, group: 'Account', to: `/account/${path}` })),
  ]
}
