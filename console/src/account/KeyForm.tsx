import {
  Alert,
  Button,
  Group,
  MultiSelect,
  Radio,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { organizationsQuery, type Schemas } from '../api.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { errorBeside, fieldError } from '../parts/field-error.ts'
import { expiryOf, LIFETIMES, localDay } from './expiry.ts'
import { type Access, AREAS, accessOf, grantsAll, scopesOf } from './scopes.ts'

type Restriction = 'none' | 'organizations' | 'projects'

/** The maximum number of organizations or projects that a key can be restricted to. */
const MAX_RESTRICTIONS = 100

/** The fields of a new key, or of `saved`. */
export function KeyForm({
  saved,
  submit,
  save,
  close,
}: {
  saved?: Schemas['ApiKey']
  submit: string
  save: (input: Schemas['ApiKeyCreate']) => Promise<unknown>
  close: () => void
}) {
  const [label, setLabel] = useState(saved?.label ?? '')
  const [all, setAll] = useState(saved ? grantsAll(saved.scopes) : false)
  const [access, setAccess] = useState<Record<string, Access>>(() =>
    Object.fromEntries(AREAS.map((area) => [area.name, accessOf(area, saved?.scopes ?? [])])),
  )
  const [restriction, setRestriction] = useState<Restriction>(
    saved?.scoped_teams.length ? 'projects' : saved?.scoped_organizations.length ? 'organizations' : 'none',
  )
  const [organizations, setOrganizations] = useState(saved?.scoped_organizations ?? [])
  const [projects, setProjects] = useState((saved?.scoped_teams ?? []).map(String))
  const [lifetime, setLifetime] = useState(saved ? (saved.expires_at ? 'date' : 'never') : '90')
  const [day, setDay] = useState(saved?.expires_at ? localDay(Date.parse(saved.expires_at)) : '')
  const choices = useQuery(organizationsQuery).data?.results ?? []

  const scopes: Schemas['Scope'][] = all ? ['*'] : scopesOf(access)
  const mutation = useMutation({
    mutationFn: () =>
      save({
        label,
        scopes,
        // Both are sent: a restriction that the user leaves is removed.
        scoped_organizations: restriction === 'organizations' ? organizations : [],
        scoped_teams: restriction === 'projects' ? projects.map(Number) : [],
        // Saving a key does not move its expiry within the day.
        ...(!(saved?.expires_at && lifetime === 'date' && day === localDay(Date.parse(saved.expires_at))) && {
          expires_at: expiryOf(lifetime, day, Date.now()),
        }),
      }),
  })
  const { error } = mutation
  const rest = errorBeside(error, 'label', 'scoped_organizations', 'scoped_teams', 'expires_at')
  const isRestrictionMissing =
    (restriction === 'organizations' && organizations.length === 0) ||
    (restriction === 'projects' && projects.length === 0)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        mutation.mutate()
      }}
    >
      <Stack>
        <TextInput
          label="Label"
          description="The purpose of the key, such as the name of a script."
          data-autofocus
          required
          withAsterisk={false}
          maxLength={40}
          value={label}
          error={fieldError(error, 'label')}
          onChange={(event) => setLabel(event.currentTarget.value)}
        />
        <Radio.Group
          label="Access"
          value={all ? 'all' : 'some'}
          onChange={(value) => setAll(value === 'all')}
          description="A key never has more access than you."
        >
          <Group mt="xs">
            <Radio value="some" label="Selected scopes" />
            <Radio value="all" label="All scopes" />
          </Group>
        </Radio.Group>
        {all ? (
          <Alert color="yellow">
            The key can do everything that you can, also create and revoke API keys. Prefer selected scopes.
          </Alert>
        ) : (
          <Stack gap="xs">
            {AREAS.map(({ name, label, description, write }) => (
              <AreaAccess
                key={name}
                label={label}
                description={description}
                canWrite={write !== undefined}
                value={access[name] ?? 'none'}
                onChange={(value) => setAccess({ ...access, [name]: value })}
              />
            ))}
          </Stack>
        )}
        <Select
          label="Works in"
          allowDeselect={false}
          data={[
            { value: 'none', label: 'All your organizations and projects' },
            { value: 'organizations', label: 'Some organizations' },
            { value: 'projects', label: 'Some projects' },
          ]}
          value={restriction}
          onChange={(value) => setRestriction((value ?? 'none') as Restriction)}
        />
        {restriction === 'organizations' && (
          <MultiSelect
            label="Organizations"
            searchable
            maxValues={MAX_RESTRICTIONS}
            data={choices.map(({ id, name }) => ({ value: id, label: name }))}
            value={organizations}
            error={fieldError(error, 'scoped_organizations')}
            onChange={setOrganizations}
          />
        )}
        {restriction === 'projects' && (
          <MultiSelect
            label="Projects"
            description="The key then works only on paths of projects."
            searchable
            maxValues={MAX_RESTRICTIONS}
            data={choices.map(({ name, teams }) => ({
              group: name,
              items: teams.map(({ id, name }) => ({ value: String(id), label: `${name} (${id})` })),
            }))}
            value={projects}
            error={fieldError(error, 'scoped_teams')}
            onChange={setProjects}
          />
        )}
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <Select
            label="Expires"
            allowDeselect={false}
            data={LIFETIMES}
            value={lifetime}
            {...(lifetime !== 'date' && { error: fieldError(error, 'expires_at') })}
            onChange={(value) => setLifetime(value ?? 'never')}
          />
          {lifetime === 'date' && (
            <TextInput
              label="Last day"
              type="date"
              required
              withAsterisk={false}
              min={localDay(Date.now())}
              value={day}
              error={fieldError(error, 'expires_at')}
              onChange={(event) => setDay(event.currentTarget.value)}
            />
          )}
        </SimpleGrid>
        {rest !== null && <ErrorAlert error={rest} />}
        {scopes.length === 0 && (
          <Text size="sm" c="dimmed" role="status">
            Choose at least one scope.
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={mutation.isPending} disabled={scopes.length === 0 || isRestrictionMissing}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function AreaAccess({
  label,
  description,
  canWrite,
  value,
  onChange,
}: {
  label: string
  description: string
  canWrite: boolean
  value: Access
  onChange: (value: Access) => void
}) {
  const id = useId()
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap">
      <Stack gap={0} flex={1} miw={0}>
        <Text size="sm" fw={500} id={id}>
          {label}
        </Text>
        <Text size="xs" c="dimmed">
          {description}
        </Text>
      </Stack>
      <SegmentedControl
        size="xs"
        aria-labelledby={id}
        data={[
          { value: 'none', label: 'None' },
          { value: 'read', label: 'Read' },
          ...(canWrite ? [{ value: 'write', label: 'Write' }] : []),
        ]}
        value={value}
        onChange={(value) => onChange(value as Access)}
      />
    </Group>
  )
}
