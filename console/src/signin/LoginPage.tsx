import { Alert, Anchor, Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { answer, client, hasSession, meQuery, queryClient, type Schemas, signOut, WorkspaceError } from '../api.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { AnchorLink } from '../parts/links.tsx'
import { NewPassword } from '../parts/NewPassword.tsx'
import { Frame } from './Frame.tsx'
import { takeFragment } from './secrets.ts'
import { beginSso, preflightQuery, SSO_ERRORS, SsoButtons, ssoName } from './sso.tsx'

type Step = 'password' | 'code' | 'profile'

/** Only paths of this site. `//host` would leave it. */
const safePath = (next: string | undefined): string => (next && /^\/(?![/\\])/.test(next) ? next : '/')

export function LoginPage() {
  const { next, error_code, email } = useSearch({ from: '/login' })
  const router = useRouter()
  return (
    <SignIn
      {...{ next, error_code, email }}
      done={(me) => {
        queryClient.clear()
        queryClient.setQueryData(meQuery.queryKey, me)
        router.history.replace(safePath(next))
      }}
    />
  )
}

/** Signs in by password, second factor, single sign-on or one-time link. */
export function SignIn({
  next,
  error_code,
  email: hint,
  isAgain = false,
  done,
}: {
  /** The path to open after a single sign-on. */
  next: string | undefined
  error_code?: string | undefined
  email: string | undefined
  /** The session of a page has ended. The page is hidden and must not be left, so providers open in a new tab. */
  isAgain?: boolean
  done: (me: Schemas['Me']) => void
}) {
  const target = isAgain ? '_blank' : '_self'
  const preflight = useQuery(preflightQuery)
  const [step, setStep] = useState<Step>('password')
  const [email, setEmail] = useState(hint ?? '')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [sso, setSso] = useState<Schemas['SessionPrecheckResult']>()
  const [error, setError] = useState<unknown>()
  const [loading, setLoading] = useState(false)

  const enter = async (): Promise<void> => {
    const me = await answer(client.GET('/api/users/@me/'))
    if (!needsPassword(me)) return done(me)
    setEmail(me.email)
    setStep('profile')
  }

  /** A link works once. After a reload, its session still lets the user set the first password. */
  const resume = async (): Promise<void> => {
    const me = await answer(client.GET('/api/users/@me/')).catch(() => undefined)
    if (!me || !needsPassword(me) || !isFresh(me)) return
    setEmail(me.email)
    setStep('profile')
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
    void precheck()
    const token = isAgain ? null : new URLSearchParams(takeFragment()).get('link')
    if (token !== null) void attempt(() => answer(client.POST('/api/login/link/', { body: { token } })))
    else if (!isAgain && hasSession()) void resume()
  }, [])

  /** Asks whether the domain of the address uses single sign-on. The answer does not reveal accounts. */
  const precheck = async (): Promise<void> => {
    if (!email.includes('@')) return
    setSso(await answer(client.POST('/api/login/precheck/', { body: { email } })).catch(() => undefined))
  }

  const leave = async (): Promise<void> => {
    await signOut()
    setEmail('')
    setStep('password')
  }

  if (step === 'profile') return <FirstProfile email={email} done={done} leave={() => void leave()} />
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
        {isAgain && (
          <Text size="sm">Your session has ended. Sign in here or in another tab to continue where you were.</Text>
        )}
        {error_code !== undefined && (
          <Alert color={error_code === 'password_required' ? 'blue' : 'red'} role="alert">
            {SSO_ERRORS[error_code] ?? `Single sign-on failed (${error_code}). Retry, or ask your administrator.`}
          </Alert>
        )}
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (enforced) open(beginSso(enforced, { email, next }), target)
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
                autoFocus={Boolean(hint)}
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
              <Button component="a" variant="default" target={target} href={beginSso('saml', { email, next })}>
                Continue with SAML
              </Button>
            )}
          </Stack>
        </form>
        <AnchorLink to="/reset" search={{ email: email || undefined }} size="sm">
          Forgot your password?
        </AnchorLink>
        {preflight.data && !enforced && (
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

/** Without a password or a provider, the user could not sign in again. */
const needsPassword = ({ has_password, has_social_auth }: Schemas['Me']): boolean => !has_password && !has_social_auth

/** Whether the sign-in is recent enough to set a password. */
const isFresh = ({ reauthenticate_by }: Schemas['Me']): boolean => Date.parse(reauthenticate_by ?? '') > Date.now()

/** After the first sign-in by link: address, name and password of the owner. */
function FirstProfile({
  email: current,
  done,
  leave,
}: {
  email: string
  done: (me: Schemas['Me']) => void
  leave: () => void
}) {
  const [email, setEmail] = useState(current)
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [error, setError] = useState<unknown>()
  const [loading, setLoading] = useState(false)
  const save = async (): Promise<void> => {
    setLoading(true)
    setError(undefined)
    try {
      done(await answer(client.PATCH('/api/users/@me/', { body: { email, first_name: name, password } })))
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
          <Anchor component="button" type="button" size="sm" ta="left" onClick={leave}>
            Sign in with another account
          </Anchor>
        </Stack>
      </form>
    </Frame>
  )
}
