import { Badge, Button, Group, Modal, Paper, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, client, organizationsQuery, queryClient, type Schemas } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert, notifyDone } from '../parts/ErrorAlert.tsx'
import { PlusIcon } from '../parts/icons.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Time } from '../parts/Time.tsx'
import { KeyForm } from './KeyForm.tsx'
import { KeyValue } from './KeyValue.tsx'
import { describeScopes, grantsAll } from './scopes.ts'

type ApiKey = Schemas['ApiKey']

const MAX_ACTIVE_KEYS = 10
const SOON_MS = 7 * 86_400_000
const keysKey = ['keys']

const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: keysKey })

const isExpired = ({ expires_at }: ApiKey): boolean => expires_at !== null && Date.parse(expires_at) <= Date.now()

/** The personal API keys of the signed-in user. */
export function KeysPage() {
  const keys = useQuery({ queryKey: keysKey, queryFn: () => answer(client.GET('/api/personal_api_keys/')) })
  const [creating, setCreating] = useState(false)
  const [editing, setEditing] = useState<ApiKey>()
  const [shown, setShown] = useState<ApiKey>()
  const active = keys.data?.filter((key) => !isExpired(key)).length ?? 0
  const createButton = (
    <ActionButton
      leftSection={<PlusIcon size={16} />}
      onClick={() => setCreating(true)}
      disabledReason={
        active >= MAX_ACTIVE_KEYS ? `You have ${MAX_ACTIVE_KEYS} active keys, the most allowed. Revoke one.` : undefined
      }
    >
      Create key
    </ActionButton>
  )
  return (
    <>
      <PageHeader
        title="API keys"
        description="Scripts and programs use a key to act as you. Give each of them a key of its own, with only the access it needs."
        actions={keys.data?.length ? createButton : null}
      />
      {keys.error && <ErrorAlert error={keys.error} retry={() => void keys.refetch()} />}
      {keys.isPending && (
        <Stack gap="xs">
          <Skeleton h={120} />
          <Skeleton h={120} />
        </Stack>
      )}
      {keys.data?.length === 0 && (
        <EmptyState title="You have no API keys" action={createButton}>
          A key lets a script call the API without your password.
        </EmptyState>
      )}
      {keys.data && keys.data.length > 0 && (
        <Stack gap="xs" component="ul" m={0} p={0} aria-label="API keys">
          {keys.data.map((key) => (
            <KeyRow key={key.id} apiKey={key} edit={() => setEditing(key)} show={setShown} />
          ))}
        </Stack>
      )}
      <Modal opened={creating} onClose={() => setCreating(false)} title="Create an API key" size="lg">
        <KeyForm
          submit="Create key"
          close={() => setCreating(false)}
          save={async (body) => {
            const key = await answer(client.POST('/api/personal_api_keys/', { body }))
            setCreating(false)
            setShown(key)
            await refresh()
          }}
        />
      </Modal>
      <Modal opened={editing !== undefined} onClose={() => setEditing(undefined)} title="Edit API key" size="lg">
        {editing && (
          <KeyForm
            saved={editing}
            submit="Save key"
            close={() => setEditing(undefined)}
            save={async (body) => {
              const { label } = await answer(
                client.PATCH('/api/personal_api_keys/{id}/', { params: { path: { id: editing.id } }, body }),
              )
              setEditing(undefined)
              notifyDone(`The key "${label}" is saved.`)
              await refresh()
            }}
          />
        )}
      </Modal>
      {shown && <KeyValue shown={shown} close={() => setShown(undefined)} />}
    </>
  )
}

function KeyRow({ apiKey, edit, show }: { apiKey: ApiKey; edit: () => void; show: (key: ApiKey) => void }) {
  const { id, label, mask_value } = apiKey
  const params = { path: { id } }
  return (
    <Paper withBorder p="md" component="li" style={{ listStyle: 'none' }} aria-label={label}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={6} flex="1 1 18rem" miw={0}>
          <Group gap="xs">
            <Text fw={600} className="wrap">
              {label}
            </Text>
            <Text span className="mono" c="dimmed">
              {mask_value}
            </Text>
            <Expiry apiKey={apiKey} />
          </Group>
          <Scopes apiKey={apiKey} />
          <Text size="sm" component="div">
            {apiKey.last_used_at ? (
              <>
                Last used <Time value={apiKey.last_used_at} />
              </>
            ) : (
              'Never used'
            )}{' '}
            · created <Time value={apiKey.created_at} /> ·{' '}
            {apiKey.expires_at ? (
              <>
                {isExpired(apiKey) ? 'expired' : 'expires'} <Time value={apiKey.expires_at} />
              </>
            ) : (
              'never expires'
            )}
          </Text>
        </Stack>
        <Group gap="xs">
          <Button variant="default" size="xs" onClick={edit} aria-label={`Edit ${label}`}>
            Edit
          </Button>
          <ConfirmButton
            variant="default"
            size="xs"
            aria-label={`Roll ${label}`}
            title={`Roll the key "${label}"?`}
            effect="The key gets a new value. The old value stops working at once. Label, scopes and restrictions stay the same."
            confirm="Roll key"
            onConfirm={async () => {
              show(await answer(client.POST('/api/personal_api_keys/{id}/roll/', { params })))
              await refresh()
            }}
          >
            Roll
          </ConfirmButton>
          <ConfirmButton
            variant="outline"
            size="xs"
            danger
            aria-label={`Revoke ${label}`}
            title={`Revoke the key "${label}"?`}
            effect="Everything that uses the key stops working at once. This cannot be undone."
            confirm="Revoke key"
            onConfirm={async () => {
              await answer(client.DELETE('/api/personal_api_keys/{id}/', { params }))
              notifyDone(`The key "${label}" is revoked.`)
              await refresh()
            }}
          >
            Revoke
          </ConfirmButton>
        </Group>
      </Group>
    </Paper>
  )
}

function Expiry({ apiKey }: { apiKey: ApiKey }) {
  if (isExpired(apiKey))
    return (
      <Badge color="red" variant="dot">
        Expired
      </Badge>
    )
  const isSoon = apiKey.expires_at !== null && Date.parse(apiKey.expires_at) - Date.now() < SOON_MS
  return isSoon ? (
    <Badge color="yellow" variant="dot">
      Expires soon
    </Badge>
  ) : null
}

function Scopes({ apiKey: { scopes, scoped_organizations, scoped_teams } }: { apiKey: ApiKey }) {
  const organizations = useQuery(organizationsQuery).data?.results ?? []
  const places = [
    ...scoped_organizations.map((id) => organizations.find((other) => other.id === id)?.name ?? id),
    ...scoped_teams.map((id) => {
      const team = organizations.flatMap(({ teams }) => teams).find((other) => other.id === id)
      return team ? `${team.name} (${id})` : `project ${id}`
    }),
  ]
  return (
    <Group gap={6}>
      {grantsAll(scopes) ? (
        <Badge variant="default" tt="none">
          All scopes
        </Badge>
      ) : (
        describeScopes(scopes).map((text) => (
          <Badge key={text} variant="default" tt="none">
            {text}
          </Badge>
        ))
      )}
      {places.length > 0 && (
        <Text size="sm" c="dimmed" className="wrap">
          only in {places.join(', ')}
        </Text>
      )}
    </Group>
  )
}
