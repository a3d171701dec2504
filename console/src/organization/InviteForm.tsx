import { Button, Group, List, NativeSelect, Pill, Stack, TagsInput, Text, Textarea } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, client, type Schemas, WorkspaceError } from '../api.ts'
import { ErrorAlert, notifyDone } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { MEMBER } from '../parts/levels.ts'
import { type Level, levelOptions, parseLevel } from '../parts/people.ts'
import { preflightQuery } from '../signin/sso.tsx'
import { invalidate } from './queries.ts'

/** The API takes at most this many in one request. Either all of them are created or none. */
const BATCH = 20
const MAX_ADDRESSES = 200
const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** Invites many people at once. The error of an address is shown with it, and the others stay in the form. */
export function InviteForm({
  organization,
  onCreated,
  close,
}: {
  organization: Schemas['Organization']
  onCreated: (created: Schemas['InviteCreated'][]) => void
  close: () => void
}) {
  const { data: preflight } = useQuery(preflightQuery)
  const [addresses, setAddresses] = useState<string[]>([])
  const [level, setLevel] = useState<Level>(MEMBER)
  const [message, setMessage] = useState('')
  /** By address. */
  const [problems, setProblems] = useState<Record<string, string>>({})

  const invite = useMutation({
    mutationFn: async () => {
      let created = 0
      for (let left = addresses; left.length; left = left.slice(BATCH)) {
        const batch = left.slice(0, BATCH)
        const invites = await createBatch(organization.id, batch, { level, message }).catch((error) => {
          const failed = addressOf(error, batch)
          if (failed !== undefined) setProblems({ [failed.address]: failed.detail })
          throw error
        })
        created += invites.length
        onCreated(invites)
        setAddresses((before) => before.filter((address) => !batch.includes(address)))
      }
      return created
    },
    onSuccess: (created) => {
      if (preflight?.email_service_available) notifyDone(`${plural(created, 'invite')} will be sent by email.`)
      close()
    },
    onSettled: () => invalidate('invites'),
  })

  const submit = (): void => {
    const invalid = addresses.filter((address) => !ADDRESS.test(address))
    setProblems(Object.fromEntries(invalid.map((address) => [address, 'This is not an email address. Correct it.'])))
    if (addresses.length > 0 && invalid.length === 0) invite.mutate()
  }
  const shown = Object.entries(problems).filter(([address]) => addresses.includes(address))
  const general = invite.error && shown.length === 0 ? invite.error : null

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <Stack>
        <TagsInput
          label="Email addresses"
          description="Separate them by commas, spaces or line breaks. You can paste a whole list."
          placeholder={addresses.length === 0 ? 'ada@example.com, grace@example.com' : ''}
          withAsterisk
          data-autofocus
          splitChars={[',', ';', ' ', '\n', '\t']}
          maxTags={MAX_ADDRESSES}
          acceptValueOnBlur
          value={addresses}
          onChange={(values) => setAddresses([...new Set(values.map((value) => value.trim()).filter(Boolean))])}
          renderPill={({ value, onRemove }) => (
            <Pill
              withRemoveButton
              onRemove={onRemove}
              removeButtonProps={{ 'aria-label': `Remove ${value}`, tabIndex: 0, 'aria-hidden': false }}
              {...(value !== undefined && problems[String(value)] && { bg: 'red.8', c: 'white' })}
            >
              {value}
            </Pill>
          )}
          error={
            shown.length > 0 && (
              <List size="xs" component="ul" listStyleType="none">
                {shown.map(([address, problem]) => (
                  <List.Item key={address}>
                    <b className="wrap">{address}</b>: {problem}
                  </List.Item>
                ))}
              </List>
            )
          }
        />
        <NativeSelect
          label="Level"
          description="You can invite up to your own level."
          value={String(level)}
          data={levelOptions(organization.membership_level)}
          onChange={(event) => setLevel(parseLevel(event.currentTarget.value) ?? MEMBER)}
        />
        <Textarea
          label="Message"
          description={
            preflight?.email_service_available === false
              ? 'This server sends no email, so nobody would receive a message.'
              : 'Optional. It is part of the email.'
          }
          disabled={preflight?.email_service_available === false}
          maxLength={1000}
          autosize
          minRows={2}
          maxRows={8}
          value={message}
          onChange={(event) => setMessage(event.currentTarget.value)}
        />
        {general && <ErrorAlert error={general} />}
        {preflight?.email_service_available === false && (
          <Text size="sm" c="dimmed">
            You get one link per address and send the links yourself.
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={invite.isPending}>
            {addresses.length > 1 ? `Create ${plural(addresses.length, 'invite')}` : 'Create invite'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

async function createBatch(
  organization_id: string,
  addresses: string[],
  { level, message }: { level: Level; message: string },
): Promise<Schemas['InviteCreated'][]> {
  const created = await answer(
    client.POST('/api/organizations/{organization_id}/invites/bulk/', {
      params: { path: { organization_id } },
      body: addresses.map((target_email) => ({ target_email, level, ...(message.trim() && { message }) })),
    }),
  )
  return Array.isArray(created) ? created : [created]
}

/** The address that `attr` names by its index, such as `3__target_email`. */
function addressOf(error: unknown, batch: string[]): { address: string; detail: string } | undefined {
  if (!(error instanceof WorkspaceError) || error.attr === null) return undefined
  const address = batch[Number(error.attr.split('__')[0])]
  return address === undefined ? undefined : { address, detail: error.detail }
}
