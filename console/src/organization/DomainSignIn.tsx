import { Alert, NativeSelect, Switch } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '../api.ts'
import { ConfirmDialog } from '../parts/ConfirmButton.tsx'
import { Section } from '../parts/Section.tsx'
import { useChange } from '../parts/use-change.ts'
import { preflightQuery, ssoName } from '../signin/sso.tsx'
import { useDialogItem } from './dialog-item.ts'
import { type DomainProps, SAVED, storeDomain, updateDomain } from './domain.ts'
import { domainsKey } from './queries.ts'

type Domain = Schemas['Domain']
type Enforcement = Domain['sso_enforcement']

const UNVERIFIED = 'This needs a verified domain. Publish the DNS record and verify the domain first.'

/** How users with an address in a verified domain join and sign in. */
export function DomainSignIn({ organization_id, domain, reason }: DomainProps) {
  const change = {
    send: (body: Schemas['DomainWrite']) => updateDomain(organization_id, domain.id, body),
    done: SAVED,
    refreshes: [domainsKey],
    after: (saved: Domain) => storeDomain(organization_id, saved),
  }
  const join = useChange({ ...change, failed: 'The setting was not saved' })
  const enforce = useChange(change)
  const enforcement = useDialogItem<Enforcement>()
  const { data: preflight } = useQuery(preflightQuery)
  const blocked = reason ?? (domain.is_verified ? undefined : UNVERIFIED)
  const options = enforcementOptions(domain, preflight)
  // The chosen value while the server saves it. On an error the stored one comes back.
  const joining = join.isPending ? join.variables.jit_provisioning_enabled : undefined
  return (
    <Section title="Joining and sign-in">
      <Switch
        label="Let people join without an invite"
        description={
          blocked ??
          `Anyone who signs in with single sign-on and a verified address at ${domain.domain} becomes a member. Members who were removed need an invite.`
        }
        disabled={blocked !== undefined}
        checked={joining ?? domain.jit_provisioning_enabled}
        onChange={(event) => join.mutate({ jit_provisioning_enabled: event.currentTarget.checked })}
      />
      {domain.sso_enforcement_problem && (
        <Alert color="yellow" title="The required provider signs nobody in">
          {domain.sso_enforcement_problem} Until then, owners can sign in with their password, and nobody else can.
        </Alert>
      )}
      <NativeSelect
        label="Required way to sign in"
        description={
          blocked ??
          'With a requirement, passwords and other providers are refused for addresses of this domain. Only providers that are set up can be chosen.'
        }
        disabled={blocked !== undefined}
        maw={420}
        value={domain.sso_enforcement}
        data={options}
        onChange={(event) => {
          const chosen = options.find(({ value }) => value === event.currentTarget.value)
          if (chosen) enforcement.ask(chosen.value)
        }}
      />
      <ConfirmDialog
        opened={enforcement.opened}
        close={enforcement.close}
        title={
          enforcement.item ? `Require ${ssoName(enforcement.item)} for ${domain.domain}?` : 'Stop requiring a provider?'
        }
        effect={
          enforcement.item
            ? `Users with an address at ${domain.domain} are signed out if they signed in with a password, and can then only sign in with ${ssoName(enforcement.item)}. This may include you. If the provider fails, the operator of this server can let you in.`
            : 'Users of the domain can sign in with a password or any provider again.'
        }
        confirm={enforcement.item ? `Require ${ssoName(enforcement.item)}` : 'Stop requiring it'}
        danger={Boolean(enforcement.item)}
        onConfirm={() => enforce.mutateAsync({ sso_enforcement: enforcement.item ?? '' })}
      />
    </Section>
  )
}

function enforcementOptions(domain: Domain, preflight: Schemas['Preflight'] | undefined) {
  const configured = preflight?.available_social_auth_providers
  const provider = (value: Exclude<Enforcement, ''>, available: boolean, missing: string) => ({
    value,
    label: available ? ssoName(value) : `${ssoName(value)} (${missing})`,
    disabled: !available && domain.sso_enforcement !== value,
  })
  const unknown = 'not set up on this server'
  return [
    { value: '' as const, label: 'Any way', disabled: false },
    provider('google-oauth2', configured?.['google-oauth2'] ?? false, unknown),
    provider('github', configured?.github ?? false, unknown),
    provider('gitlab', configured?.gitlab ?? false, unknown),
    provider('saml', domain.has_saml, 'fill in its fields below first'),
  ]
}
