import { Alert, Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { answer, client, meQuery, queryClient, type Schemas, WorkspaceError } from '../api.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { AnchorLink } from '../parts/links.tsx'
import { NewPassword } from '../parts/NewPassword.tsx'
import { Frame } from './Frame.tsx'
import { takeFragment } from './secrets.ts'
import { beginSso, preflightQuery, SSO_ERRORS, SsoButtons, ssoName } from './sso.tsx'

type Step = 'password' | 'code' | 'profile'

/** Only paths of this site. `//host` would leave it. */
const safePath = (next: string | undefined): string => (next && /^\/(?![/\\])/.test(next) ? next : '/')

/** Signs in by password, second factor, single sign-on or one-time link. */
export function LoginPage() {
  const { next, error_code, email: hint } = useSearch({ from: '/login' })
  const router = useRouter()
  const preflight = useQuery(preflightQuery)
  const [step, setStep] = useState<Step>('password')
  const [email, setEmail] = useState(hint ?? '')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [sso, setSso] = useState<Schemas['SessionPrecheckResult']>()
  const [error, setError] = useState<unknown>()
  const [loading, setLoading] = useState(false)

  const enter = async (): Promise<void> => {
    queryClient.clear()
    const me = await queryClient.fetchQuery(meQuery)
    if (!me.has_password && !me.has_social_auth) {
      setEmail(me.email)
      setStep('profile')
    } else router.history.replace(safePath(next))
  }

  const attempt = async (send: () => Promise<unknown>): Promise<void> => {
    setLoading(true)
    setError(undefined)
    try {
      await send()
      await enter()
    } catch (error) {
      if (error instanceof WorkspaceError && error.code === '2fa_required') setStep('code')
      else setError(error)
    } finally {
      setLoading(false)
    }
  }

  // The secret of a one-time link works once, so the link is used once even if the page renders twice.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once.
  useEffect(() => {
    const token = new URLSearchParams(takeFragment()).get('link')
    if (token !== null) void attempt(() => answer(client.POST('/api/login/link/', { body: { token } })))
  }, [])

  /** Asks whether the domain of the address uses single sign-on. The answer does not reveal accounts. */
  const precheck = async (): Promise<void> => {
    if (!email.includes('@')) return
    setSso(await answer(client.POST('/api/login/precheck/', { body: { email } })).catch(() => undefined))
  }

  if (step === 'profile') return <FirstProfile email={email} done={() => router.history.replace(safePath(next))} />
  if (step === 'code')
    return (
      <Frame title="Second step">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            void attempt(() => answer(client.POST('/api/login/token/', { body: { token: code } })))
          }}
        >
          <Stack>
            <Text size="sm">Enter the code of your authenticator app, or one of your backup codes.</Text>
            <TextInput
              key="code"
              label="Code"
              autoComplete="one-time-code"
              required
              autoFocus
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
            />
            {error !== undefined && <ErrorAlert error={error} title="Sign-in failed" />}
            <Button type="submit" loading={loading}>
              Continue
            </Button>
          </Stack>
        </form>
      </Frame>
    )

  const enforced = sso?.sso_enforcement ?? null
  return (
    <Frame title="Sign in">
      <Stack>
        {error_code !== undefined && (
          <Alert color={error_code === 'password_required' ? 'blue' : 'red'} role="alert">
            {SSO_ERRORS[error_code] ?? `Single sign-on failed (${error_code}). Retry, or ask your administrator.`}
          </Alert>
        )}
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (enforced) location.assign(beginSso(enforced, { email, next }))
            else void attempt(() => answer(client.POST('/api/login/', { body: { email, password } })))
          }}
        >
          <Stack>
            <TextInput
              label="Email"
              type="email"
              autoComplete="username"
              required
              autoFocus={!hint}
              maxLength={254}
              value={email}
              onChange={(event) => {
                setEmail(event.currentTarget.value)
                setSso(undefined)
              }}
              onBlur={() => void precheck()}
            />
            {enforced ? (
              <Text size="sm">Your organization requires {ssoName(enforced)} for this address.</Text>
            ) : (
              <PasswordInput
                label="Password"
                autoComplete="current-password"
                required
                maxLength={256}
                value={password}
                onChange={(event) => setPassword(event.currentTarget.value)}
              />
            )}
            {error !== undefined && <ErrorAlert error={error} title="Sign-in failed" />}
            <Button type="submit" loading={loading}>
              {enforced ? `Continue with ${ssoName(enforced)}` : 'Sign in'}
            </Button>
            {sso?.saml_available && !enforced && (
              <Button component="a" variant="default" href={beginSso('saml', { email, next })}>
                Continue with SAML
              </Button>
            )}
          </Stack>
        </form>
        <AnchorLink to="/reset" search={{ email: email || undefined }} size="sm">
          Forgot your password?
        </AnchorLink>
        {preflight.data && !enforced && (
          <SsoButtons preflight={preflight.data} next={safePath(next)} divider={<Divider label="or" />} />
        )}
      </Stack>
    </Frame>
  )
}

/** After the first sign-in by link: address, name and password of the owner. */
function FirstProfile({ email: current, done }: { email: string; done: () => void }) {
  const [email, setEmail] = useState(current)
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [error, setError] = useState<unknown>()
  const [loading, setLoading] = useState(false)
  const save = async (): Promise<void> => {
    setLoading(true)
    setError(undefined)
    try {
      await answer(client.PATCH('/api/users/@me/', { body: { email, first_name: name, password } }))
      await queryClient.invalidateQueries()
      done()
    } catch (error) {
      setError(error)
    } finally {
      setLoading(false)
    }
  }
  return (
    <Frame title="Welcome">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <Stack>
          <Text size="sm">Set your address, name and password. You sign in with them from now on.</Text>
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <TextInput
            label="Name"
            autoComplete="given-name"
            maxLength={150}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <NewPassword value={password} onChange={setPassword} />
          {error !== undefined && <ErrorAlert error={error} />}
          <Button type="submit" loading={loading}>
            Continue
          </Button>
        </Stack>
      </form>
    </Frame>
  )
}
