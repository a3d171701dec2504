import { useWindowEvent } from '@mantine/hooks'
import { useRouter, useRouterState } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, type SyntheticEvent, useEffect, useRef, useState } from 'react'
import { meQuery, queryClient, type Schemas } from '../api.ts'
import { onSignInNeeded } from './sign-in-again.ts'

const SignIn = lazy(() => import('./SignIn.tsx').then(({ SignIn }) => ({ default: SignIn })))

/** What the browser shows, to restore it after the sign-in. */
const viewOfPage = () => ({ title: document.title, top: scrollY, focused: document.activeElement })
type View = ReturnType<typeof viewOfPage>

/**
 * Shows the sign-in page instead of a page whose session has ended. The page stays mounted, so its forms and dialogs keep their
 * values. After the sign-in, the requests that found the session ended are repeated.
 */
export function SessionGuard({ children }: { children: ReactNode }) {
  const [hidden, setHidden] = useState<View | null>(null)
  const settle = useRef<((signedIn: boolean) => void) | null>(null)
  useEffect(() => {
    const remove = onSignInNeeded(
      'session_ended',
      () =>
        new Promise((resolve) => {
          settle.current = resolve
          setHidden(viewOfPage())
        }),
    )
    return () => {
      remove()
      settle.current?.(false)
    }
  }, [])
  useEffect(() => {
    if (hidden === null) return
    return () => {
      document.title = hidden.title
      scrollTo(0, hidden.top)
      if (hidden.focused instanceof HTMLElement) hidden.focused.focus({ preventScroll: true })
    }
  }, [hidden])
  const resume = (): void => {
    setHidden(null)
    settle.current?.(true)
    settle.current = null
  }
  return (
    <>
      {hidden && <SignInInPlace resume={resume} />}
      <div hidden={hidden !== null}>{children}</div>
    </>
  )
}

/** The class of the sign-in page. The styles hide the dialogs of the page below it. */
const SIGN_IN = 'sign-in-in-place'

/** Changes the address bar only. The router patches the function of the instance to open the new address. */
const showAddress = (href: string): void => History.prototype.replaceState.call(history, history.state, '', href)

const stop = (event: SyntheticEvent): void => event.stopPropagation()

// Runs before the listeners of the hidden dialogs, which would close.
addEventListener(
  'keydown',
  (event) => {
    if (event.key === 'Escape' && document.querySelector(`.${SIGN_IN}`)) event.stopImmediatePropagation()
  },
  { capture: true },
)

function SignInInPlace({ resume }: { resume: () => void }) {
  const router = useRouter()
  const next = useRouterState({ select: ({ location }) => location.href })
  const [before] = useState(() => queryClient.getQueryData(meQuery.queryKey))

  useEffect(() => showAddress(router.buildLocation({ to: '/login', search: { next } }).href), [router, next])

  const proceed = (me: Schemas['Me']): void => {
    // Another user must not see the page of this one.
    if (me.uuid !== before?.uuid) {
      location.replace(next)
      return
    }
    showAddress(next)
    queryClient.setQueryData(meQuery.queryKey, me)
    resume()
  }

  // The user may have signed in in another tab.
  const check = async (): Promise<void> => {
    const response = document.hidden ? undefined : await fetch('/api/users/@me/').catch(() => undefined)
    if (response?.ok) proceed(await response.json())
  }
  useWindowEvent('visibilitychange', () => void check())

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the hidden page would close its menus and open its search.
    <div className={SIGN_IN} onKeyDown={stop} onMouseDown={stop} onTouchStart={stop}>
      <Suspense>
        <SignIn next={next} email={before?.email} isAgain done={proceed} />
      </Suspense>
    </div>
  )
}
