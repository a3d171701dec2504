import { Modal, Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { PlusIcon } from '../parts/icons.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { isExpired } from './expiry.ts'
import { KeyForm } from './KeyForm.tsx'
import { KeyRow } from './KeyRow.tsx'
import { KeyValue } from './KeyValue.tsx'
import { keysQuery } from './queries.ts'

type ApiKey = Schemas['ApiKey']

const MAX_ACTIVE_KEYS = 10

/** The personal API keys of the signed-in user. */
export function KeysPage() {
  const keys = useQuery(keysQuery)
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
        <KeyForm close={() => setCreating(false)} onCreated={setShown} />
      </Modal>
      <Modal opened={editing !== undefined} onClose={() => setEditing(undefined)} title="Edit API key" size="lg">
        {editing && <KeyForm saved={editing} close={() => setEditing(undefined)} />}
      </Modal>
      {shown && <KeyValue shown={shown} close={() => setShown(undefined)} />}
    </>
  )
}
