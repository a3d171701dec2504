import { Button, Stack } from '@mantine/core'
import { queryOptions } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { answer, client, type Schemas } from '../api.ts'

export const preflightQuery = queryOptions({
  queryKey: ['preflight'],
  queryFn: () => answer(client.GET('/_preflight/')),
  staleTime: Number.POSITIVE_INFINITY,
})

const NAMES: Record<string, string> = {
  'google-oauth2': 'Google',
  github: 'GitHub',
  gitlab: 'GitLab',
  oidc: 'single sign-on',
  saml: 'SAML',
}

export const ssoName = (provider: string): string => NAMES[provider] ?? provider

/** The reasons with which a sign-in by a provider returns to the sign-in page. */
export const SSO_ERRORS: Record<string, string> = {
  password_required:
    'An account with this address has a password. Enter the password once to connect it with the provider.',
  invalid_sso_provider: 'This provider is not available. Choose another way to sign in.',
  improperly_configured_sso: 'This provider is not configured correctly. Ask the operator of this server.',
  jit_not_enabled: 'There is no account for this address. Ask for an invite.',
  no_new_organizations: 'There is no account for this address. Ask for an invite.',
  sso_enforced: 'Your organization requires another provider for this address.',
  saml_failed: 'The response of the identity provider was not accepted. Retry, or ask your administrator.',
  sso_unavailable: 'The server is busy. Retry in a few seconds.',
  state_mismatch: 'This sign-in was started in another browser or took too long. Retry.',
  email_not_verified: 'The provider has not verified your address. Verify it there, then retry.',
  invalid_invite: 'This invite is not valid. Ask for a new one.',
}

/** Only paths of this site. `//host` would leave it. */
export const safePath = (next: string | undefined): string => (next && /^\/(?![/\\])/.test(next) ? next : '/')

export function beginSso(provider: string, query: Record<string, string | undefined>): string {
  const search = new URLSearchParams(
    Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1])),
  ).toString()
  return `/login/${provider}/${search && `?${search}`}`
}

/** One button per provider of the operator. */
export function SsoButtons({
  preflight,
  next,
  invite_id,
  target = '_self',
  divider,
}: {
  preflight: Schemas['Preflight']
  next?: string
  invite_id?: string
  target?: '_self' | '_blank'
  divider?: ReactNode
}) {
  const available = Object.entries(preflight.available_social_auth_providers).filter(([, on]) => on)
  if (available.length === 0) return null
  return (
    <Stack gap="xs">
      {divider}
      {available.map(([provider]) => (
        <Button
          key={provider}
          component="a"
          variant="default"
          target={target}
          href={beginSso(provider, { next, invite_id })}
        >
          Continue with {ssoName(provider)}
        </Button>
      ))}
    </Stack>
  )
}
