import { useEffect, useState } from 'react'
import { answer, client, hasSession, type Schemas, signOut } from '../api.ts'
import { useChange } from '../parts/use-change.ts'
import { FirstProfile } from './FirstProfile.tsx'
import { SecondStep } from './SecondStep.tsx'
import { SignInForm } from './SignInForm.tsx'
import { takeFragment } from './secrets.ts'
import { signIn } from './sign-in.ts'

type Me = Schemas['Me']

/** Without a password or a provider, the user could not sign in again. */
const needsPassword = ({ has_password, has_social_auth }: Me): boolean => !has_password && !has_social_auth

/** Whether the sign-in is recent enough to set a password. */
const isFresh = ({ reauthenticate_by }: Me): boolean => Date.parse(reauthenticate_by ?? '') > Date.now()

/** Signs in by password, second factor, single sign-on or one-time link. */
export function SignIn({
  next,
  error_code,
  email: hint = '',
  isAgain = false,
  done,
}: {
  /** The path to open after a single sign-on. */
  next: string | undefined
  error_code?: string | undefined
  email: string | undefined
  /** The session of a page has ended. The page is hidden and must not be left, so providers open in a new tab. */
  isAgain?: boolean
  done: (me: Me) => void
}) {
  const [email, setEmail] = useState(hint)
  const [isSecondStep, setSecondStep] = useState(false)
  /** The user who must set the first password. */
  const [newcomer, setNewcomer] = useState<Me>()
  const proceed = (me: Me | 'second step'): void => {
    if (me === 'second step') setSecondStep(true)
    else if (needsPassword(me)) setNewcomer(me)
    else done(me)
  }
  const link = useChange({
    send: (token: string) => signIn(client.POST('/api/login/link/', { body: { token } })),
    after: proceed,
  })

  /** A link works once. After a reload, its session still lets the user set the first password. */
  const resume = async (): Promise<void> => {
    const me = await answer(client.GET('/api/users/@me/')).catch(() => undefined)
    if (me && needsPassword(me) && isFresh(me)) setNewcomer(me)
  }

  // The secret of a one-time link works once, so the link is used once even if the page renders twice.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once.
  useEffect(() => {
    const token = isAgain ? null : new URLSearchParams(takeFragment()).get('link')
    if (token !== null) link.mutate(token)
    else if (!isAgain && hasSession()) void resume()
  }, [])

  const leave = async (): Promise<void> => {
    await signOut()
    setEmail('')
    setNewcomer(undefined)
  }

  if (newcomer) return <FirstProfile email={newcomer.email} done={done} leave={() => void leave()} />
  if (isSecondStep) return <SecondStep proceed={proceed} />
  return <SignInForm {...{ next, error_code, email, isAgain, link, proceed }} />
}
