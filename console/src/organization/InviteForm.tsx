import { List, NativeSelect, Pill, Stack, TagsInput, Text, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { answer, client, type Schemas, WorkspaceError } from '../api.ts'
import { FormActions } from '../parts/FormActions.tsx'
import { plural } from '../parts/format.ts'
import { MEMBER } from '../parts/levels.ts'
import { type Level, levelOptions, parseLevel } from '../parts/people.ts'
import { useChange } from '../parts/use-change.ts'
import { preflightQuery } from '../signin/sso.tsx'
import { invitesKey } from './queries.ts'

/** The API takes at most this many in one request. Either all of them are created or none. */
const BATCH = 20
const MAX_ADDRESSES = 200
const INVALID = 'This is not an email address. Correct it.'
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
  const form = useForm({
    initialValues: { addresses: [] as string[], level: String(MEMBER), message: '' },
    // Errors have the address as their key.
    validate: ({ addresses }) =>
      Object.fromEntries(addresses.filter((address) => !ADDRESS.test(address)).map((address) => [address, INVALID])),
  })
  const { addresses } = form.values
  const invite = useChange({
    send: async (values: typeof form.values) => {
      for (let left = values.addresses; left.length; left = left.slice(BATCH)) {
        const batch = left.slice(0, BATCH)
        const created = await createBatch(organization.id, batch, values).catch((error) => {
          form.setErrors(errorOfAddress(error, batch))
          throw error
        })
        onCreated(created)
        form.setFieldValue('addresses', (before) => before.filter((address) => !batch.includes(address)))
      }
    },
    done: (_created, { addresses }) =>
      preflight?.email_service_available ? `${plural(addresses.length, 'invite')} will be sent by email.` : undefined,
    refreshes: [invitesKey],
    after: close,
  })
  const shown = Object.entries(form.errors).filter(([address]) => addresses.includes(address))
  return (
    <form
      onSubmit={form.onSubmit((values) => {
        if (values.addresses.length > 0) invite.mutate(values)
      })}
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
          onChange={(values) =>
            form.setFieldValue('addresses', [...new Set(values.map((value) => value.trim()).filter(Boolean))])
          }
          renderPill={({ value, onRemove }) => (
            <Pill
              withRemoveButton
              onRemove={onRemove}
              removeButtonProps={{ 'aria-label': `Remove ${value}`, tabIndex: 0, 'aria-hidden': false }}
              {...(value !== undefined && form.errors[String(value)] && { bg: 'red.8', c: 'white' })}
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
          data={levelOptions(organization.membership_level)}
          {...form.getInputProps('level')}
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
          {...form.getInputProps('message')}
        />
        {preflight?.email_service_available === false && (
          <Text size="sm" c="dimmed">
            You get one link per address and send the links yourself.
          </Text>
        )}
        <FormActions
          submit={addresses.length > 1 ? `Create ${plural(addresses.length, 'invite')}` : 'Create invite'}
          cancel={close}
          isPending={invite.isPending}
          error={shown.length > 0 ? null : invite.error}
        />
      </Stack>
    </form>
  )
}

async function createBatch(
  organization_id: string,
  addresses: string[],
  { level: chosen, message }: { level: string; message: string },
): Promise<Schemas['InviteCreated'][]> {
  const level: Level = parseLevel(chosen) ?? MEMBER
  const created = await answer(
    client.POST('/api/organizations/{organization_id}/invites/bulk/', {
      params: { path: { organization_id } },
      body: addresses.map((target_email) => ({ target_email, level, ...(message.trim() && { message }) })),
    }),
  )
  return Array.isArray(created) ? created : [created]
}

/** By the address that `attr` names by its index, such as `3__target_email`. */
function errorOfAddress(error: unknown, batch: string[]): Record<string, string> {
  if (!(error instanceof WorkspaceError) || error.attr === null) return {}
  const address = batch[Number(error.attr.split('__')[0])]
  return address === undefined ? {} : { [address]: error.detail }
}
