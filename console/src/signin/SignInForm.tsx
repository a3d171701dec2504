import { Alert, Button, Divider, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { client, type Schemas } from '../api.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { AnchorLink } from '../parts/links.tsx'
import { Password } from '../parts/Password.tsx'
import { useServerForm } from '../parts/use-server-form.ts'
import { Frame } from './Frame.tsx'
import { precheckQuery } from './queries.ts'
import { signIn } from './sign-in.ts'
import { beginSso, preflightQuery, SSO_ERRORS, SsoButtons, safePath, ssoName } from './sso.tsx'

/** Asks for the address and the password, or for the provider that the domain of the address requires. */
export function SignInForm({
  next,
  error_code,
  email: hint,
  isAgain,
  link,
  proceed,
}: {
  next: string | undefined
  error_code: string | undefined
  email: string
  isAgain: boolean
  /** The sign-in by a one-time link, which this page waits for. */
  link: { isPending: boolean; error: Error | null; reset: () => void }
  proceed: (me: Schemas['Me'] | 'second step') => void
}) {
  const target = isAgain ? '_blank' : '_self'
  const preflight = useQuery(preflightQuery)
  const sent = useServerForm({
    initialValues: { email: hint, password: '' },
    send: (body) => {
      link.reset()
      return signIn(client.POST('/api/login/', { body }))
    },
    after: proceed,
  })
  const { form } = sent
  const { email } = form.values
  const error = sent.error ?? link.error
  /** The address is checked when the user leaves its field. */
  const [checked, setChecked] = useState(hint)
  const { data } = useQuery(precheckQuery(checked))
  const sso = email === checked ? data : undefined
  const enforced = sso?.sso_available ? sso.sso_enforcement : null
  const missing = sso?.sso_available ? null : (sso?.sso_enforcement ?? null)
  const continueWithSso = (event: FormEvent): void => {
    event.preventDefault()
    if (enforced) open(beginSso(enforced, { email, next }), target)
  }
  return (
    <Frame title="Sign in">
      <Stack>
        {isAgain && (
          <Text size="sm">Your session has ended. Sign in here or in another tab to continue where you were.</Text>
        )}
        {error_code !== undefined && (
          <Alert color={error_code === 'password_required' ? 'blue' : 'red'} role="alert">
            {SSO_ERRORS[error_code] ?? `Single sign-on failed (${error_code}). Retry, or ask your administrator.`}
          </Alert>
        )}
        <form onSubmit={enforced ? continueWithSso : sent.submit}>
          <Stack>
            <TextInput
              label="Email"
              type="email"
              autoComplete="username"
              required
              autoFocus={!hint}
              maxLength={254}
              {...form.getInputProps('email')}
              onBlur={() => setChecked(email)}
            />
            {missing && (
              <Alert color="yellow" role="alert">
                Your organization requires {ssoName(missing)} for this address, but it is no longer set up on this
                server. Owners of the organization can sign in with their password. If you are no owner, ask one of
                them.
              </Alert>
            )}
            {enforced ? (
              <Text size="sm">Your organization requires {ssoName(enforced)} for this address.</Text>
            ) : (
              <Password autoFocus={Boolean(hint)} {...form.getInputProps('password')} />
            )}
            {error && <ErrorAlert error={error} title="Sign-in failed" />}
            <Button type="submit" loading={sent.isPending || link.isPending}>
              {enforced ? `Continue with ${ssoName(enforced)}` : 'Sign in'}
            </Button>
            {sso?.saml_available && !enforced && !missing && (
              <Button component="a" variant="default" target={target} href={beginSso('saml', { email, next })}>
                Continue with SAML
              </Button>
            )}
          </Stack>
        </form>
        <AnchorLink to="/reset" search={{ email: email || undefined }} size="sm">
          Forgot your password?
        </AnchorLink>
        {preflight.data && !enforced && !missing && (
          <SsoButtons
            preflight={preflight.data}
            next={safePath(next)}
            target={target}
            divider={<Divider label="or" />}
          />
        )}
      </Stack>
    </Frame>
  )
}
