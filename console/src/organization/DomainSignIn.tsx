/** How users with an address in a verified domain sign in. */
import { Group, NativeSelect, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, client, queryClient, type Schemas, WorkspaceError } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ConfirmDialog } from '../parts/ConfirmButton.tsx'
import { Copy } from '../parts/Copy.tsx'
import { ErrorAlert, notifyDone, notifyError } from '../parts/ErrorAlert.tsx'
import { Section } from '../parts/Section.tsx'
import { preflightQuery, ssoName } from '../signin/sso.tsx'
import { useDialogItem } from './dialog-item.ts'
import { domainQuery, invalidate } from './queries.ts'

type Domain = Schemas['Domain']
type Changes = Schemas['DomainWrite']
type Enforcement = Domain['sso_enforcement']

interface DomainProps {
  organization_id: string
  domain: Domain
  /** Why the user cannot change the domain. */
  reason: string | undefined
}

function useSave(organization_id: string, id: string) {
  return useMutation({
    mutationFn: (body: Changes) =>
      answer(
        client.PATCH('/api/organizations/{organization_id}/domains/{id}/', {
          params: { path: { organization_id, id } },
          body,
        }),
      ),
    onSuccess: async (saved) => {
      queryClient.setQueryData(domainQuery(organization_id, id).queryKey, saved)
      await invalidate('domains')
      notifyDone('The sign-in settings are saved.')
    },
  })
}

const UNVERIFIED = 'This needs a verified domain. Publish the DNS record and verify the domain first.'

export function SignInForm({ organization_id, domain, reason }: DomainProps) {
  const save = useSave(organization_id, domain.id)
  const enforcement = useDialogItem<Enforcement>()
  const { data: preflight } = useQuery(preflightQuery)
  const blocked = reason ?? (domain.is_verified ? undefined : UNVERIFIED)
  const options = enforcementOptions(domain, preflight)
  // The chosen value while the server saves it. On an error the stored one comes back.
  const joining = save.isPending ? save.variables.jit_provisioning_enabled : undefined
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
        onChange={(event) =>
          save.mutate(
            { jit_provisioning_enabled: event.currentTarget.checked },
            { onError: (error) => notifyError(error, 'The setting was not saved') },
          )
        }
      />
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
        onConfirm={() => save.mutateAsync({ sso_enforcement: enforcement.item ?? '' })}
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

const SAML_FIELDS = ['saml_entity_id', 'saml_acs_url', 'saml_x509_cert'] as const

export function SamlForm({ organization_id, domain, reason }: DomainProps) {
  const save = useSave(organization_id, domain.id)
  const initial = {
    saml_entity_id: domain.saml_entity_id ?? '',
    saml_acs_url: domain.saml_acs_url ?? '',
    saml_x509_cert: domain.saml_x509_cert ?? '',
  }
  const [values, setValues] = useState(initial)
  const changed = SAML_FIELDS.some((field) => values[field] !== initial[field])
  const errorOf = (field: (typeof SAML_FIELDS)[number]): string | undefined =>
    save.error instanceof WorkspaceError && save.error.attr === field ? save.error.detail : undefined
  const atField = SAML_FIELDS.some((field) => errorOf(field) !== undefined)
  const inputOf = (field: (typeof SAML_FIELDS)[number]) => ({
    value: values[field],
    error: errorOf(field),
    readOnly: reason !== undefined,
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget
      setValues((before) => ({ ...before, [field]: value }))
    },
  })
  const submit = (): void =>
    save.mutate({
      saml_entity_id: values.saml_entity_id.trim() || null,
      saml_acs_url: values.saml_acs_url.trim() || null,
      saml_x509_cert: values.saml_x509_cert.trim() || null,
    })
  return (
    <Section title="SAML">
      <Text size="sm">
        Register this server at your identity provider with these addresses, then enter the values that it shows.
        {!domain.is_verified && ' SAML works only after the domain is verified.'}
      </Text>
      <Stack gap={4}>
        <Text size="sm" fw={500}>
          Metadata of this server
        </Text>
        <Copy value={`${location.origin}/api/saml/metadata/`} label="metadata URL" />
        <Text size="sm" fw={500} mt={4}>
          Assertion consumer service (ACS) URL
        </Text>
        <Copy value={`${location.origin}/complete/saml/`} label="ACS URL" />
      </Stack>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="Entity id of the identity provider"
            description="Also called issuer."
            maxLength={512}
            {...inputOf('saml_entity_id')}
          />
          <TextInput
            label="Sign-on URL of the identity provider"
            description="Also called SSO URL. It must accept requests by redirect."
            placeholder="https://"
            maxLength={512}
            {...inputOf('saml_acs_url')}
          />
          <Textarea
            label="Certificate of the identity provider"
            description="X.509 with an RSA key, as PEM or base64."
            placeholder="-----BEGIN CERTIFICATE-----"
            autosize
            minRows={3}
            maxRows={10}
            maxLength={20_000}
            spellCheck={false}
            classNames={{ input: 'mono' }}
            {...inputOf('saml_x509_cert')}
          />
          {save.error && !atField && <ErrorAlert error={save.error} />}
          <Group>
            <ActionButton
              type="submit"
              loading={save.isPending}
              disabledReason={reason ?? (changed ? undefined : 'Nothing has changed.')}
            >
              Save SAML settings
            </ActionButton>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}
