import { Alert, Group, MultiSelect, Radio, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { answer, client, organizationsQuery, type Schemas } from '../api.ts'
import { FormActions } from '../parts/FormActions.tsx'
import { useServerForm } from '../parts/use-server-form.ts'
import { AreaAccess } from './AreaAccess.tsx'
import { expiryOf, LIFETIMES, localDay } from './expiry.ts'
import { keysQuery } from './queries.ts'
import { AREAS, accessOf, grantsAll, scopesOf } from './scopes.ts'

type ApiKey = Schemas['ApiKey']

/** The maximum number of organizations or projects that a key can be restricted to. */
const MAX_RESTRICTIONS = 100

const valuesOf = (saved: ApiKey | undefined) => ({
  label: saved?.label ?? '',
  /** All scopes, or those of `access`. */
  scopes: saved && grantsAll(saved.scopes) ? 'all' : 'some',
  access: Object.fromEntries(AREAS.map((area) => [area.name, accessOf(area, saved?.scopes ?? [])])),
  restriction: saved?.scoped_teams.length ? 'projects' : saved?.scoped_organizations.length ? 'organizations' : 'none',
  scoped_organizations: saved?.scoped_organizations ?? [],
  scoped_teams: (saved?.scoped_teams ?? []).map(String),
  lifetime: saved ? (saved.expires_at ? 'date' : 'never') : '90',
  /** The last day of the key. */
  expires_at: saved?.expires_at ? localDay(Date.parse(saved.expires_at)) : '',
})

type Values = ReturnType<typeof valuesOf>

const scopesIn = ({ scopes, access }: Values): Schemas['Scope'][] => (scopes === 'all' ? ['*'] : scopesOf(access))

function bodyOf(values: Values, saved: ApiKey | undefined): Schemas['ApiKeyCreate'] {
  const { label, restriction, scoped_organizations, scoped_teams, lifetime, expires_at } = values
  const before = valuesOf(saved)
  // Saving a key does not move its expiry within the day.
  const isKept = saved?.expires_at && lifetime === 'date' && expires_at === before.expires_at
  return {
    label,
    scopes: scopesIn(values),
    // Both are sent: a restriction that the user leaves is removed.
    scoped_organizations: restriction === 'organizations' ? scoped_organizations : [],
    scoped_teams: restriction === 'projects' ? scoped_teams.map(Number) : [],
    ...(!isKept && { expires_at: expiryOf(lifetime, expires_at, Date.now()) }),
  }
}

/** The fields of a new key, or of `saved`. */
export function KeyForm({
  saved,
  close,
  onCreated,
}: {
  saved?: ApiKey
  close: () => void
  onCreated?: (key: ApiKey) => void
}) {
  const { form, submit, isPending, error } = useServerForm({
    initialValues: valuesOf(saved),
    send: (values) => {
      const body = bodyOf(values, saved)
      return saved
        ? answer(client.PATCH('/api/personal_api_keys/{id}/', { params: { path: { id: saved.id } }, body }))
        : answer(client.POST('/api/personal_api_keys/', { body }))
    },
    done: ({ label }) => (saved ? `The key "${label}" is saved.` : undefined),
    refreshes: [keysQuery.queryKey],
    after: (key) => {
      close()
      onCreated?.(key)
    },
  })
  const { scopes, access, restriction, scoped_organizations, scoped_teams, lifetime } = form.values
  const choices = useQuery(organizationsQuery).data?.results ?? []
  const hasScopes = scopesIn(form.values).length > 0
  const isRestrictionMissing =
    (restriction === 'organizations' && scoped_organizations.length === 0) ||
    (restriction === 'projects' && scoped_teams.length === 0)
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Label"
          description="The purpose of the key, such as the name of a script."
          data-autofocus
          required
          withAsterisk={false}
          maxLength={40}
          {...form.getInputProps('label')}
        />
        <Radio.Group
          label="Access"
          description="A key never has more access than you."
          {...form.getInputProps('scopes')}
        >
          <Group mt="xs">
            <Radio value="some" label="Selected scopes" />
            <Radio value="all" label="All scopes" />
          </Group>
        </Radio.Group>
        {scopes === 'all' ? (
          <Alert color="yellow">
            The key can do everything that you can, also create and revoke API keys. Prefer selected scopes.
          </Alert>
        ) : (
          <Stack gap="xs">
            {AREAS.map((area) => (
              <AreaAccess
                key={area.name}
                area={area}
                value={access[area.name] ?? 'none'}
                onChange={(value) => form.setFieldValue('access', { ...access, [area.name]: value })}
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
          {...form.getInputProps('restriction')}
        />
        {restriction === 'organizations' && (
          <MultiSelect
            label="Organizations"
            searchable
            maxValues={MAX_RESTRICTIONS}
            data={choices.map(({ id, name }) => ({ value: id, label: name }))}
            {...form.getInputProps('scoped_organizations')}
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
            {...form.getInputProps('scoped_teams')}
          />
        )}
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <Select
            label="Expires"
            allowDeselect={false}
            data={LIFETIMES}
            {...form.getInputProps('lifetime')}
            {...(lifetime !== 'date' && { error: form.errors.expires_at })}
          />
          {lifetime === 'date' && (
            <TextInput
              label="Last day"
              type="date"
              required
              withAsterisk={false}
              min={localDay(Date.now())}
              {...form.getInputProps('expires_at')}
            />
          )}
        </SimpleGrid>
        {!hasScopes && (
          <Text size="sm" c="dimmed" role="status">
            Choose at least one scope.
          </Text>
        )}
        <FormActions
          error={error}
          isPending={isPending}
          submit={saved ? 'Save key' : 'Create key'}
          cancel={close}
          disabled={!hasScopes || isRestrictionMissing}
        />
      </Stack>
    </form>
  )
}
