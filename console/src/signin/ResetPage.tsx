import { Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { answer, client } from '../api.ts'
import { FormActions } from '../parts/FormActions.tsx'
import { AnchorLink, ButtonLink } from '../parts/links.tsx'
import { NewPassword } from '../parts/Password.tsx'
import { useServerForm } from '../parts/use-server-form.ts'
import { Frame } from './Frame.tsx'
import { forgetSecret, keepSecret, takeFragment } from './secrets.ts'
import { preflightQuery } from './sso.tsx'

/** Asks for a link to set a new password. The answer does not reveal whether the address has an account. */
export function ResetRequestPage() {
  const preflight = useQuery(preflightQuery)
  const { email = '' } = useSearch({ from: '/reset' })
  const { form, submit, isPending, error, isSuccess } = useServerForm({
    initialValues: { email },
    send: (body) => answer(client.POST('/api/reset/', { body })),
  })
  if (preflight.data && !preflight.data.email_service_available)
    return (
      <Frame title="Reset your password">
        <Stack>
          <Text size="sm">
            This server does not send email. Ask its operator for a sign-in link: the command{' '}
            <code>workspace-admin users link</code> creates one.
          </Text>
          <BackToSignIn />
        </Stack>
      </Frame>
    )
  if (isSuccess)
    return (
      <Frame title="Check your mail">
        <Stack>
          <Text size="sm">
            If {form.values.email} has an account, an email with a link is on its way. The link works once, for one
            hour.
          </Text>
          <BackToSignIn />
        </Stack>
      </Frame>
    )
  return (
    <Frame title="Reset your password">
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            required
            autoFocus
            maxLength={254}
            {...form.getInputProps('email')}
          />
          <FormActions submit="Send a link" fullWidth isPending={isPending} error={error} />
          <BackToSignIn />
        </Stack>
      </form>
    </Frame>
  )
}

/** Sets a new password with the secret of a mailed link. */
export function ResetPage() {
  const { uuid = '' } = useParams({ strict: false })
  const secret = `reset ${uuid}`
  const [token] = useState(() => keepSecret(secret, takeFragment()))
  const {
    form,
    submit,
    isPending,
    error,
    answer: user,
  } = useServerForm({
    initialValues: { password: '' },
    send: ({ password }) =>
      answer(
        client.POST('/api/reset/{user_uuid}/', { params: { path: { user_uuid: uuid } }, body: { token, password } }),
      ),
    after: () => forgetSecret(secret),
  })
  if (token === '')
    return (
      <Frame title="This link is incomplete">
        <Stack>
          <Text size="sm">Open the link from the mail again, or request a new one.</Text>
          <AnchorLink to="/reset" size="sm">
            Request a new link
          </AnchorLink>
        </Stack>
      </Frame>
    )
  if (user)
    return (
      <Frame title="Your password is set">
        <Stack>
          <Text size="sm">All your sessions have ended. Sign in with the new password.</Text>
          <ButtonLink to="/login" search={{ email: user.email }}>
            Sign in
          </ButtonLink>
        </Stack>
      </Frame>
    )
  return (
    <Frame title="Set a new password">
      <form onSubmit={submit}>
        <Stack>
          <NewPassword label="New password" autoFocus {...form.getInputProps('password')} />
          <FormActions submit="Set password" fullWidth isPending={isPending} error={error} />
        </Stack>
      </form>
    </Frame>
  )
}

const BackToSignIn = () => (
  <AnchorLink to="/login" size="sm">
    Back to sign-in
  </AnchorLink>
)
