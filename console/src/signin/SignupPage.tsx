import { Alert, Blockquote, Button, Divider, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { answer, client, isSignedOut, meQuery, queryClient, type Schemas, WorkspaceError } from '../api.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { FormActions } from '../parts/FormActions.tsx'
import { AnchorLink, ButtonLink } from '../parts/links.tsx'
import { NewPassword } from '../parts/Password.tsx'
import { useServerForm } from '../parts/use-server-form.ts'
import { Frame } from './Frame.tsx'
import { precheckQuery, signupQuery } from './queries.ts'
import { forgetSecret, keepSecret } from './secrets.ts'
import { beginSso, preflightQuery, SsoButtons, ssoName } from './sso.tsx'

/** The secret of the link, removed from the address bar. */
function takeToken(invite: string): string {
  const token = new URLSearchParams(location.search).get('token')
  if (token) history.replaceState(history.state, '', location.pathname)
  return keepSecret(`invite ${invite}`, token)
}

/** Accepts an invite: with a new password, by single sign-on, or with the account that is signed in. */
export function SignupPage() {
  const { invite: invite_id = '' } = useParams({ strict: false })
  const [token] = useState(() => takeToken(invite_id))
  const me = useQuery({ ...meQuery, retry: false })
  const invite = useQuery({
    ...signupQuery(invite_id, token, me.data?.uuid),
    enabled: token !== '' && (me.isSuccess || isSignedOut(me.error)),
  })
  if (token === '')
    return (
      <Frame title="This link is incomplete">
        <Text size="sm">Open the link from the mail again, or ask for a new invite.</Text>
      </Frame>
    )
  if (invite.error) return <Problem error={invite.error} next={`/signup/${invite_id}`} signedInAs={me.data?.email} />
  if (!invite.data) return <Frame title="Opening your invite">{null}</Frame>
  const isRecipient = me.data?.email.toLowerCase() === invite.data.target_email.toLowerCase()
  return <AcceptInvite invite={invite.data} token={token} isRecipient={isRecipient} />
}

/** An account with this address exists: it must sign in to join. */
function Problem({ error, next, signedInAs }: { error: Error; next: string; signedInAs: string | undefined }) {
  const exists = error instanceof WorkspaceError && error.code === 'account_exists'
  return (
    <Frame title={exists ? 'Sign in to join' : 'This invite cannot be used'}>
      <Stack>
        {exists ? (
          <Text size="sm">
            The address of this invite has an account.
            {signedInAs ? ` You are signed in as ${signedInAs}.` : ''} Sign in with that account to join.
          </Text>
        ) : (
          <ErrorAlert error={error} title="The invite was not opened" />
        )}
        <ButtonLink to="/login" search={{ next }}>
          Sign in
        </ButtonLink>
      </Stack>
    </Frame>
  )
}

function AcceptInvite({
  invite,
  token,
  isRecipient,
}: {
  invite: Schemas['SignupInvite']
  token: string
  isRecipient: boolean
}) {
  const navigate = useNavigate()
  const preflight = useQuery(preflightQuery)
  const precheck = useQuery(precheckQuery(invite.target_email))
  const { form, submit, isPending, error } = useServerForm({
    initialValues: { first_name: invite.first_name, password: '' },
    send: (values) =>
      answer(
        client.POST('/api/signup/{invite_id}/', {
          params: { path: { invite_id: invite.id } },
          body: { token, ...(!isRecipient && values) },
        }),
      ),
    after: ({ organization_id }) => {
      forgetSecret(`invite ${invite.id}`)
      queryClient.clear()
      return navigate({ to: '/organizations/$organization/projects', params: { organization: organization_id } })
    },
  })
  const enforced = precheck.data?.sso_enforcement ?? null
  const { inviter, message } = { inviter: invite.created_by_name, message: invite.message }
  return (
    <Frame title={`Join ${invite.organization_name}`}>
      <Stack>
        <Text size="sm">
          {inviter ? `${inviter} invited` : 'You are invited as'} {invite.target_email}.
        </Text>
        {message && (
          <Blockquote p="sm" className="wrap">
            {message}
          </Blockquote>
        )}
        {invite.supersedes_account && (
          <Alert color="yellow">
            An account with this address exists, but its address was never verified. Joining disables that account and
            creates a new one.
          </Alert>
        )}
        {enforced ? (
          <Button
            component="a"
            href={beginSso(enforced, { email: invite.target_email, invite_id: invite.id, next: '/' })}
          >
            Continue with {ssoName(enforced)}
          </Button>
        ) : (
          <form onSubmit={submit}>
            <Stack>
              {isRecipient ? (
                <Text size="sm">You are signed in with this address.</Text>
              ) : (
                <>
                  <TextInput
                    label="Your name"
                    autoComplete="given-name"
                    maxLength={128}
                    {...form.getInputProps('first_name')}
                  />
                  <NewPassword {...form.getInputProps('password')} />
                </>
              )}
              <FormActions submit={`Join ${invite.organization_name}`} fullWidth isPending={isPending} error={error} />
            </Stack>
          </form>
        )}
        {preflight.data && !enforced && !isRecipient && (
          <SsoButtons preflight={preflight.data} next="/" invite_id={invite.id} divider={<Divider label="or" />} />
        )}
        {!isRecipient && (
          <AnchorLink to="/login" search={{ next: `/signup/${invite.id}` }} size="sm">
            I already have an account
          </AnchorLink>
        )}
      </Stack>
    </Frame>
  )
}
