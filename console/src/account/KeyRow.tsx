import { Badge, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { answer, client, organizationsQuery, type Schemas } from '../api.ts'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { Time } from '../parts/Time.tsx'
import { useChange } from '../parts/use-change.ts'
import { isExpired } from './expiry.ts'
import { keysQuery } from './queries.ts'
import { describeScopes, grantsAll } from './scopes.ts'

type ApiKey = Schemas['ApiKey']

const SOON_MS = 7 * 86_400_000

/** One key with its access and its actions. */
export function KeyRow({ apiKey, edit, show }: { apiKey: ApiKey; edit: () => void; show: (key: ApiKey) => void }) {
  const { id, label, mask_value } = apiKey
  const params = { path: { id } }
  const roll = useChange({
    send: () => answer(client.POST('/api/personal_api_keys/{id}/roll/', { params })),
    refreshes: [keysQuery.queryKey],
    after: show,
  })
  const revoke = useChange({
    send: () => answer(client.DELETE('/api/personal_api_keys/{id}/', { params })),
    done: `The key "${label}" is revoked.`,
    refreshes: [keysQuery.queryKey],
  })
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
            onConfirm={() => roll.mutateAsync()}
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
            onConfirm={() => revoke.mutateAsync()}
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
